package types;

/** A value of one of several types, told apart by its JSON token. Each codec has one hook for all of them. */
public interface Union {
    /** The type of the member that such a value goes to, or null where there is none. */
    Class<?> type(Token token);

    void put(Token token, Object value);

    /** The value of the member that is set, or null. */
    Object value();
}
