package types;

/** What a JSON value starts with. */
public enum Token { STRING, NUMBER, BOOL, NULL, OBJECT, ARRAY }
