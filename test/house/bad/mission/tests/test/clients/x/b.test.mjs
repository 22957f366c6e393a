test('a title', () => {});
