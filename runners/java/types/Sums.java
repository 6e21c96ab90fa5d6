package types;

import java.math.BigInteger;
import java.util.List;
import java.util.Map;

/** What values add to a checksum, as the protocol has it, and which differ from the default of their type. */
public final class Sums {
    private Sums() {}

    public static int of(boolean v) {
        return v ? 2 : 1;
    }

    public static int of(int v) {
        return v + 1;
    }

    public static int of(long v) {
        return (int) v + 1;
    }

    public static int of(BigInteger v) {
        return v.intValue() + 1;
    }

    public static int of(double v) {
        return v > Integer.MIN_VALUE && v < 1L << 31 ? (int) v + 1 : 1;
    }

    public static int of(String v) {
        return v.length() + 1;
    }

    public static int of(NumberText v) {
        return v.text.length() + 1;
    }

    public static int of(Quoted.Int v) {
        return of(v.value);
    }

    public static int of(Quoted.Long v) {
        return of(v.value);
    }

    public static int of(Quoted.Big v) {
        return of(v.value);
    }

    public static int of(Quoted.Float v) {
        return of(v.value);
    }

    public static int of(Quoted.Double v) {
        return of(v.value);
    }

    public static int of(Message v) {
        return v.visit();
    }

    /** Any JSON value, in the types that libraries make of it. */
    public static int any(Object v) {
        if (v instanceof Any) {
            return any(((Any) v).value);
        }
        if (v instanceof Boolean) {
            return of((boolean) v);
        }
        if (v instanceof Number) {
            return of(((Number) v).doubleValue());
        }
        if (v instanceof String) {
            return of((String) v);
        }
        int sum = 1;
        if (v instanceof List) {
            for (Object e : (List<?>) v) {
                sum += any(e);
            }
        } else if (v instanceof Map) {
            for (Map.Entry<?, ?> e : ((Map<?, ?>) v).entrySet()) {
                sum += ((String) e.getKey()).length() + 1 + any(e.getValue());
            }
        }
        return sum;
    }

    public static boolean set(BigInteger v) {
        return v != null && v.signum() != 0;
    }

    public static boolean set(String v) {
        return v != null && !v.isEmpty();
    }

    public static boolean set(byte[] v) {
        return v != null && v.length != 0;
    }

    public static boolean set(Hex v) {
        return v != null && v.bytes.length != 0;
    }

    public static boolean set(Numbered v) {
        return v != null && v.number() != 0;
    }

    public static boolean set(Quoted v) {
        return v != null && !v.isZero();
    }
}
