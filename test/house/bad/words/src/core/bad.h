/* No licence, and no pragma. */
struct thing;
