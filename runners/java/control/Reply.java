package control;

import java.util.List;
import java.util.function.IntConsumer;

/** A JSON object that is being written. */
public final class Reply {
    private final StringBuilder b = new StringBuilder();

    public Reply(long id) {
        b.append("{\"id\":").append(id);
    }

    /** The reply to a request that went wrong ("error") or could not be tried ("skipped"). */
    public static Reply failure(long id, String member, String what) {
        return new Reply(id).text(member, what);
    }

    public String end() {
        return b.append('}').toString();
    }

    private Reply key(String name) {
        if (b.charAt(b.length() - 1) != '{') {
            b.append(',');
        }
        quote(name);
        b.append(':');
        return this;
    }

    public Reply text(String name, String value) {
        key(name).quote(value);
        return this;
    }

    public Reply integer(String name, long value) {
        key(name).b.append(value);
        return this;
    }

    public Reply texts(String name, List<String> values) {
        return list(name, values.size(), i -> quote(values.get(i)));
    }

    public Reply integers(String name, long[] values) {
        return list(name, values.length, i -> b.append(values[i]));
    }

    /** Checksums are unsigned. */
    public Reply checksums(String name, int[] values) {
        return list(name, values.length, i -> b.append(values[i] & 0xffffffffL));
    }

    /** An array of objects, whose members {@code put} writes. */
    public Reply objects(String name, int n, IntConsumer put) {
        return list(name, n, i -> {
            b.append('{');
            put.accept(i);
            b.append('}');
        });
    }

    private Reply list(String name, int n, IntConsumer put) {
        key(name).b.append('[');
        for (int i = 0; i < n; i++) {
            if (i > 0) {
                b.append(',');
            }
            put.accept(i);
        }
        b.append(']');
        return this;
    }

    private void quote(String s) {
        b.append('"');
        for (int i = 0; i < s.length(); i++) {
            char c = s.charAt(i);
            if (c == '"' || c == '\\') {
                b.append('\\').append(c);
            } else if (c < ' ' || Character.isSurrogate(c)) { // a lone surrogate would not be UTF-8
                b.append(String.format("\\u%04x", (int) c));
            } else {
                b.append(c);
            }
        }
        b.append('"');
    }
}
