let a;
