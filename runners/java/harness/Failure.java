package harness;

/** Something that went wrong or could not be tried, with a message that says all. */
public final class Failure extends Exception {
    private static final long serialVersionUID = 1;

    /** How the protocol calls it: "error" or "skipped". */
    public final String member;

    private Failure(String member, String message, Exception cause) {
        super(message, cause);
        this.member = member;
    }

    public Failure(String message) {
        this("error", message, null);
    }

    public Failure(String where, Exception cause) {
        this("error", where + ": " + memory(cause), cause);
    }

    /** The want of memory that an exception comes from, whatever a library made of it, or else the exception itself. */
    public static Throwable memory(Throwable e) {
        for (Throwable t = e; t != null; t = t.getCause()) {
            if (t instanceof OutOfMemoryError) {
                return t;
            }
        }
        return e;
    }

    public static Failure skipped(String why) {
        return new Failure("skipped", why, null);
    }
}
