package harness;

/** A codec on one root message. */
public abstract class Root {
    public final Operation encode, decode, visit;

    protected Root(Operation encode, Operation decode, Operation visit) {
        this.encode = encode;
        this.decode = decode;
        this.visit = visit;
    }

    // The same steps one by one, for "verify" and for what crosses a transport.

    /** The class of the objects. */
    public abstract Class<?> type();

    /** Makes an object forget what it keeps of having been encoded. */
    public abstract void renew(Object object);

    public abstract Object object(byte[] b) throws Exception;

    public abstract byte[] bytes(Object object) throws Exception;

    public abstract int leaf(Object object);

    public abstract int visit(Object object);

    public final Operation operation(String name) {
        switch (name) {
            case "encode":
                return encode;
            case "decode":
                return decode;
            case "visit":
                return visit;
            default:
                throw new IllegalArgumentException("there is no operation \"" + name + "\"");
        }
    }
}
