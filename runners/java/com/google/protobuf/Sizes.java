package com.google.protobuf;

/**
 * Lets messages forget the size that they were encoded with. Protobuf for Java computes it once per message and
 * keeps it. A program that makes a message and encodes it pays for that; one that encodes the same message
 * again does not, and a benchmark that does so all the time would show encoding without a good part of it.
 * The memory of it can only be reached from this package.
 */
public final class Sizes {
    private Sizes() {}

    public static void forget(AbstractMessage m) {
        m.memoizedSize = -1;
    }

    public static void forget(Value v) {
        v.memoizedSize = -1;
        switch (v.getKindCase()) {
            case LIST_VALUE:
                ListValue list = v.getListValue();
                list.memoizedSize = -1;
                for (int i = 0; i < list.getValuesCount(); i++) {
                    forget(list.getValues(i));
                }
                break;
            case STRUCT_VALUE:
                Struct object = v.getStructValue();
                object.memoizedSize = -1;
                for (Value e : object.getFieldsMap().values()) {
                    forget(e);
                }
                break;
            default:
        }
    }
}
