let x;
