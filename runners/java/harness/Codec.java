package harness;

/** A library in one mode. Each has one file in codecs/. */
public interface Codec {
    /** A class of the library: the jar that it comes from tells the version. */
    Class<?> library();

    /** The codec on each root message, in the order of the model's roots. */
    Root[] roots();

    /**
     * The library's object, as this codec has set it: what a framework needs to read and write like the codec. Null
     * where there is none.
     */
    default Object instance() {
        return null;
    }

    /** Why the codec cannot handle a root message, or null. */
    default String problem(int root) {
        return null;
    }
}
