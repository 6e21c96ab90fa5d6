package types;

import java.math.BigInteger;

/** Numbers that JSON holds as decimal strings. */
public abstract class Quoted {
    private Quoted() {}

    abstract boolean isZero();

    public static final class Int extends Quoted {
        public final int value;

        public Int(String text) {
            value = Integer.parseInt(text);
        }

        @Override
        boolean isZero() {
            return value == 0;
        }

        @Override
        public String toString() {
            return Integer.toString(value);
        }
    }

    public static final class Long extends Quoted {
        public final long value;

        public Long(String text) {
            value = java.lang.Long.parseLong(text);
        }

        @Override
        boolean isZero() {
            return value == 0;
        }

        @Override
        public String toString() {
            return java.lang.Long.toString(value);
        }
    }

    public static final class Big extends Quoted {
        public final BigInteger value;

        public Big(String text) {
            value = new BigInteger(text);
        }

        @Override
        boolean isZero() {
            return value.signum() == 0;
        }

        @Override
        public String toString() {
            return value.toString();
        }
    }

    public static final class Float extends Quoted {
        public final float value;

        public Float(String text) {
            value = java.lang.Float.parseFloat(text);
        }

        @Override
        boolean isZero() {
            return value == 0;
        }

        @Override
        public String toString() {
            return java.lang.Float.toString(value);
        }
    }

    public static final class Double extends Quoted {
        public final double value;

        public Double(String text) {
            value = java.lang.Double.parseDouble(text);
        }

        @Override
        boolean isZero() {
            return value == 0;
        }

        @Override
        public String toString() {
            return java.lang.Double.toString(value);
        }
    }
}
