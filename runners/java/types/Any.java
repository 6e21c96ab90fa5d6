package types;

/** Any JSON value, null among them; a member that is missing has no Any. */
public final class Any {
    public final Object value;

    public Any(Object value) {
        this.value = value;
    }
}
