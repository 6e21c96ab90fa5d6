package transports.wire;

/** The header Server-Timing: spans in milliseconds, to the nanosecond. */
public final class Timing {
    public static final String HEADER = "Server-Timing";

    private static final int NS_PER_MS = 1_000_000;

    private final StringBuilder b = new StringBuilder();

    public Timing add(String span, long ns) {
        String fraction = Long.toString(NS_PER_MS + ns % NS_PER_MS).substring(1);
        b.append(b.length() == 0 ? "" : ", ").append(span).append(";dur=").append(ns / NS_PER_MS).append('.').append(fraction);
        return this;
    }

    @Override
    public String toString() {
        return b.toString();
    }

    /** Finds a span in a header's value, in nanoseconds; -1 where it is not there, or no duration. */
    public static long find(String header, String span) {
        for (String metric : header.split(",")) {
            String[] parts = metric.split(";");
            if (!parts[0].strip().equals(span)) {
                continue;
            }
            for (String part : parts) {
                if (part.strip().startsWith("dur=")) {
                    return nanoseconds(part.strip().substring(4));
                }
            }
        }
        return -1;
    }

    private static long nanoseconds(String ms) {
        try {
            double ns = Double.parseDouble(ms) * NS_PER_MS;
            return ns >= 0 && ns < Long.MAX_VALUE ? Math.round(ns) : -1;
        } catch (NumberFormatException e) {
            return -1;
        }
    }
}
