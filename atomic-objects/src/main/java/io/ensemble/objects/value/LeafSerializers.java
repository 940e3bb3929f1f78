package io.ensemble.objects.value;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.URI;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.Period;
import java.time.YearMonth;
import java.time.ZonedDateTime;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The classes of the JDK whose values contain no other value. The order here is part of the format.
 */
final class LeafSerializers {

  private static final Map<Class<?>, LeafSerializer<?>> BY_TYPE = new HashMap<>();
  private static final @Nullable LeafSerializer<?>[] BY_TAG = new LeafSerializer<?>[TypeTag.PILES];
  private static int next = TypeTag.LEAVES;

  static {
    numbers();
    texts();
    times();
    arrays();
    changing();
  }

  private LeafSerializers() {}

  static @Nullable LeafSerializer<?> of(Class<?> type) {
    return BY_TYPE.get(type);
  }

  static @Nullable LeafSerializer<?> tagged(int tag) {
    return tag < BY_TAG.length ? BY_TAG[tag] : null;
  }

  private static void numbers() {
    fixed(Boolean.class, (out, value) -> out.octet(value ? 1 : 0), in -> in.index(2) == 1);
    fixed(Byte.class, (out, value) -> out.octet(value), in -> (byte) in.octet());
    fixed(Short.class, (out, value) -> out.signed(value), in -> (short) in.signed());
    fixed(Character.class, (out, value) -> out.number(value), in -> (char) in.index(1 << 16));
    fixed(Integer.class, (out, value) -> out.signed(value), ValueInput::signedInt);
    fixed(Long.class, (out, value) -> out.signed(value), ValueInput::signed);
    fixed(
        Float.class,
        (out, value) -> out.space(4).putInt(Float.floatToRawIntBits(value)),
        in -> in.exactly(4).getFloat());
    fixed(
        Double.class,
        (out, value) -> out.space(8).putLong(Double.doubleToRawLongBits(value)),
        in -> in.exactly(8).getDouble());
    fixed(
        BigInteger.class,
        (out, value) -> out.block(value.toByteArray()),
        in -> new BigInteger(in.block()));
    fixed(
        BigDecimal.class,
        (out, value) -> {
          out.signed(value.scale());
          out.block(value.unscaledValue().toByteArray());
        },
        in -> {
          int scale = in.signedInt();
          return new BigDecimal(new BigInteger(in.block()), scale);
        });
    fixed(
        OptionalInt.class,
        (out, value) -> {
          out.octet(value.isPresent() ? 1 : 0);
          value.ifPresent(out::signed);
        },
        in -> in.index(2) == 0 ? OptionalInt.empty() : OptionalInt.of(in.signedInt()));
    fixed(
        OptionalLong.class,
        (out, value) -> {
          out.octet(value.isPresent() ? 1 : 0);
          value.ifPresent(out::signed);
        },
        in -> in.index(2) == 0 ? OptionalLong.empty() : OptionalLong.of(in.signed()));
    fixed(
        OptionalDouble.class,
        (out, value) -> {
          out.octet(value.isPresent() ? 1 : 0);
          value.ifPresent(number -> out.space(8).putDouble(number));
        },
        in ->
            in.index(2) == 0
                ? OptionalDouble.empty()
                : OptionalDouble.of(in.exactly(8).getDouble()));
  }

  private static void texts() {
    fixed(String.class, ValueOutput::text, ValueInput::text);
    fixed(
        UUID.class,
        (out, value) ->
            out.space(16)
                .putLong(value.getMostSignificantBits())
                .putLong(value.getLeastSignificantBits()),
        in -> {
          ByteBuffer bits = in.exactly(16);
          return new UUID(bits.getLong(), bits.getLong());
        });
    text(URI.class, URI::create);
  }

  private static void times() {
    fixed(
        Instant.class,
        (out, value) -> {
          out.signed(value.getEpochSecond());
          out.number(value.getNano());
        },
        in -> Instant.ofEpochSecond(in.signed(), in.index(1_000_000_000)));
    fixed(
        Duration.class,
        (out, value) -> {
          out.signed(value.getSeconds());
          out.number(value.getNano());
        },
        in -> Duration.ofSeconds(in.signed(), in.index(1_000_000_000)));
    text(LocalDate.class, LocalDate::parse);
    text(LocalTime.class, LocalTime::parse);
    text(LocalDateTime.class, LocalDateTime::parse);
    text(OffsetDateTime.class, OffsetDateTime::parse);
    text(ZonedDateTime.class, ZonedDateTime::parse);
    text(Period.class, Period::parse);
    text(YearMonth.class, YearMonth::parse);
  }

  private static void arrays() {
    changing(byte[].class, ValueOutput::block, ValueInput::block);
    changing(
        boolean[].class,
        (out, value) -> {
          out.number(value.length);
          for (boolean each : value) {
            out.octet(each ? 1 : 0);
          }
        },
        in -> {
          byte[] block = in.block();
          boolean[] value = new boolean[block.length];
          for (int i = 0; i < value.length; i++) {
            value[i] = block[i] != 0;
          }
          return value;
        });
    changing(
        char[].class,
        (out, value) -> counted(out, value.length, Character.BYTES).asCharBuffer().put(value),
        in -> {
          ByteBuffer block = in.block(Character.BYTES);
          char[] value = new char[block.remaining() / Character.BYTES];
          block.asCharBuffer().get(value);
          return value;
        });
    changing(
        short[].class,
        (out, value) -> counted(out, value.length, Short.BYTES).asShortBuffer().put(value),
        in -> {
          ByteBuffer block = in.block(Short.BYTES);
          short[] value = new short[block.remaining() / Short.BYTES];
          block.asShortBuffer().get(value);
          return value;
        });
    changing(
        int[].class,
        (out, value) -> counted(out, value.length, Integer.BYTES).asIntBuffer().put(value),
        in -> {
          ByteBuffer block = in.block(Integer.BYTES);
          int[] value = new int[block.remaining() / Integer.BYTES];
          block.asIntBuffer().get(value);
          return value;
        });
    changing(long[].class, LeafSerializers::longs, LeafSerializers::longs);
    changing(
        float[].class,
        (out, value) -> counted(out, value.length, Float.BYTES).asFloatBuffer().put(value),
        in -> {
          ByteBuffer block = in.block(Float.BYTES);
          float[] value = new float[block.remaining() / Float.BYTES];
          block.asFloatBuffer().get(value);
          return value;
        });
    changing(
        double[].class,
        (out, value) -> counted(out, value.length, Double.BYTES).asDoubleBuffer().put(value),
        in -> {
          ByteBuffer block = in.block(Double.BYTES);
          double[] value = new double[block.remaining() / Double.BYTES];
          block.asDoubleBuffer().get(value);
          return value;
        });
  }

  private static void changing() {
    changing(
        AtomicBoolean.class,
        (out, value) -> out.octet(value.get() ? 1 : 0),
        in -> new AtomicBoolean(in.index(2) == 1));
    changing(
        AtomicInteger.class,
        (out, value) -> out.signed(value.get()),
        in -> new AtomicInteger(in.signedInt()));
    changing(
        AtomicLong.class,
        (out, value) -> out.signed(value.get()),
        in -> new AtomicLong(in.signed()));
    changing(
        LongAdder.class,
        (out, value) -> out.signed(value.sum()),
        in -> {
          LongAdder sum = new LongAdder();
          sum.add(in.signed());
          return sum;
        });
    changing(
        BitSet.class,
        (out, value) -> longs(out, value.toLongArray()),
        in -> BitSet.valueOf(longs(in)));
    changing(
        StringBuilder.class,
        (out, value) -> out.text(value.toString()),
        in -> new StringBuilder(in.text()));
  }

  private static void longs(ValueOutput out, long[] value) {
    counted(out, value.length, Long.BYTES).asLongBuffer().put(value);
  }

  private static long[] longs(ValueInput in) {
    ByteBuffer block = in.block(Long.BYTES);
    long[] value = new long[block.remaining() / Long.BYTES];
    block.asLongBuffer().get(value);
    return value;
  }

  private static ByteBuffer counted(ValueOutput out, int count, int unit) {
    out.number(count);
    return out.space((long) count * unit);
  }

  private static <T> void text(Class<T> type, Function<String, T> parser) {
    fixed(type, (out, value) -> out.text(value.toString()), in -> parser.apply(in.text()));
  }

  private static <T> void fixed(
      Class<T> type, BiConsumer<ValueOutput, T> writer, Function<ValueInput, T> reader) {
    add(new LeafSerializer<>(next++, type, false, writer, reader));
  }

  private static <T> void changing(
      Class<T> type, BiConsumer<ValueOutput, T> writer, Function<ValueInput, T> reader) {
    add(new LeafSerializer<>(next++, type, true, writer, reader));
  }

  private static void add(LeafSerializer<?> leafSerializer) {
    BY_TYPE.put(leafSerializer.type(), leafSerializer);
    BY_TAG[leafSerializer.tag()] = leafSerializer;
  }
}
