package types;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;

/** Types that a JSON string stands for and that no library knows by itself. */
public final class Texts {
    private Texts() {}

    /** How a type is read from a string and written as one. */
    public record Text<T>(Class<T> type, Function<String, T> parse, Function<T, String> print) {}

    public static final List<Text<?>> ALL = List.of(
            new Text<>(Quoted.Int.class, Quoted.Int::new, Object::toString),
            new Text<>(Quoted.Long.class, Quoted.Long::new, Object::toString),
            new Text<>(Quoted.Big.class, Quoted.Big::new, Object::toString),
            new Text<>(Quoted.Float.class, Quoted.Float::new, Object::toString),
            new Text<>(Quoted.Double.class, Quoted.Double::new, Object::toString),
            new Text<>(Hex.class, Hex::new, Object::toString),
            new Text<>(Duration.class, Texts::duration, Texts::print));

    /** Reads seconds with at most nine decimals and an "s". */
    static Duration duration(String text) {
        int end = text.length() - 1;
        if (end < 1 || text.charAt(end) != 's') {
            throw new IllegalArgumentException("not a duration as \"1.5s\": " + text);
        }
        BigDecimal seconds = new BigDecimal(text.substring(0, end));
        long whole = seconds.longValue();
        BigDecimal nanos = seconds.subtract(BigDecimal.valueOf(whole)).movePointRight(9);
        return Duration.ofSeconds(whole, nanos.longValueExact());
    }

    /** Writes seconds with 0, 3, 6 or 9 decimals, as ProtoJSON does. */
    static String print(Duration d) {
        StringBuilder b = new StringBuilder(24);
        if (d.isNegative()) {
            b.append('-');
            d = d.negated();
        }
        b.append(d.getSeconds());
        int nanos = d.getNano();
        if (nanos != 0) {
            b.append('.');
            do {
                int digits = nanos / 1_000_000;
                b.append((char) ('0' + digits / 100)).append((char) ('0' + digits / 10 % 10)).append((char) ('0' + digits % 10));
                nanos = nanos % 1_000_000 * 1000;
            } while (nanos != 0);
        }
        return b.append('s').toString();
    }
}
