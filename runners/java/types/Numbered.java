package types;

/** An enum of the schema. */
public interface Numbered {
    int number();
}
