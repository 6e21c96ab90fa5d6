package types;

/** The JSON value null, where it is a value and not a way of being absent. */
public final class Null {
    public static final Null NULL = new Null();

    private Null() {}
}
