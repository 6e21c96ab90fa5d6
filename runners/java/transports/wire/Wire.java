package transports.wire;

import codecs.Codecs;
import harness.Document;
import harness.Prepared;

/** What client and server agree upon. */
public final class Wire {
    private static final long TIMES = 16;
    private static final long MORE = 1 << 20;

    private Wire() {}

    /** The content type of what a codec writes. */
    public static String type(Prepared codec) {
        return Codecs.find(codec.codec).format.equals("json") ? "application/json" : "application/x-protobuf";
    }

    /**
     * How many bytes of a body are read. Another codec may write a document differently, but not without end:
     * this is enough for all of them.
     */
    public static int most(Prepared codec) {
        long longest = 0;
        for (Document d : codec.documents) {
            longest = Math.max(longest, d.bytes.length);
        }
        return (int) Math.min(TIMES * longest + MORE, Integer.MAX_VALUE - 8);
    }
}
