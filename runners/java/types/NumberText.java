package types;

/** A JSON number that is kept as its text. */
public final class NumberText {
    public final String text;

    public NumberText(String text) {
        this.text = text;
    }
}
