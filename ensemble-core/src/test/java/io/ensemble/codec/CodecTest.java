package io.ensemble.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.ensemble.site.Bytes;
import java.io.IOException;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Date;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;
import org.infinispan.protostream.FileDescriptorSource;
import org.infinispan.protostream.MessageMarshaller;
import org.infinispan.protostream.SerializationContext;
import org.infinispan.protostream.SerializationContextInitializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class CodecTest {

  private final Codec codec = new Codec(List.of());

  static Stream<Object> values() {
    return Stream.of(
        "",
        "word",
        "ü🂡",
        "half \ud800",
        "\udc00",
        true,
        'c',
        (byte) -1,
        (short) -2,
        0,
        -1,
        Integer.MAX_VALUE,
        Long.MIN_VALUE,
        1.5f,
        -0.0d,
        Double.NaN,
        Instant.ofEpochSecond(1, 999_999_999),
        new Date(7),
        new UUID(1, 2),
        new BigDecimal("1.50"),
        new TypedContent("image/png", Bytes.of((byte) 0, (byte) -1)),
        new TypedContent("x".repeat(TypedContent.LONGEST_TYPE), Bytes.of()));
  }

  @ParameterizedTest
  @MethodSource("values")
  void whatGoesInComesOut(Object value) {
    assertThat(codec.decode(codec.encode(value))).isEqualTo(value).hasSameClassAs(value);
  }

  @Test
  void byteArraysAreCopiedBothWays() {
    byte[] value = {0, 1, -1};

    Bytes encoded = codec.encode(value);
    value[0] = 9;

    assertThat(codec.decode(encoded)).isEqualTo(new byte[] {0, 1, -1});
    assertThat(codec.decode(codec.encode(new byte[0]))).isEqualTo(new byte[0]);
  }

  @Test
  void differentValuesHaveDifferentEncodings() {
    Set<Bytes> encodings = new HashSet<>();
    List<Object> all = new ArrayList<>(values().toList());
    all.addAll(
        List.of("word".getBytes(), 0L, 0.0d, "0", "half ?", "half \ud801", "c", new byte[0]));

    all.forEach(value -> encodings.add(codec.encode(value)));

    assertThat(encodings).hasSameSizeAs(all);
  }

  @ParameterizedTest
  @MethodSource("values")
  void equalValuesHaveOneEncoding(Object value) {
    assertThat(new Codec(List.of()).encode(value)).isEqualTo(codec.encode(value));
  }

  @Test
  void aStringCostsOneByte() {
    assertThat(codec.encode("word").size()).isEqualTo(5);
    assertThat(codec.encode(new byte[100]).size()).isEqualTo(101);
  }

  record Point(int x, int y) {}

  @Test
  void aTypeWithoutSchemaIsRefusedByName() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> codec.encode(new Point(1, 2)))
        .withMessageContaining("SerializationContextInitializer")
        .withMessageContaining(Point.class.getName());
    assertThatIllegalArgumentException()
        .isThrownBy(() -> codec.encode(new java.util.concurrent.atomic.AtomicInteger(1)));
  }

  @Test
  void aTypeWithSchemaIsTakenAndMustBeKnownToReaders() {
    Bytes encoded = new Codec(List.of(new PointSchema())).encode(new Point(1, 2));

    assertThat(new Codec(List.of(new PointSchema())).decode(encoded)).isEqualTo(new Point(1, 2));
    assertThatIllegalStateException()
        .isThrownBy(() -> codec.decode(encoded))
        .withMessageContaining("no schema in this process");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "\u0009", "\u0000\u00ff\u00ff"})
  void damagedBytesAreAnError(String bytes) {
    assertThatIllegalStateException()
        .isThrownBy(
            () ->
                codec.decode(
                    Bytes.of(bytes.getBytes(java.nio.charset.StandardCharsets.ISO_8859_1))));
  }

  private static final class PointSchema implements SerializationContextInitializer {

    @Override
    public void registerSchema(SerializationContext context) {
      context.registerProtoFiles(
          FileDescriptorSource.fromString(
              "point.proto", "package t; message Point { int32 x = 1; int32 y = 2; }"));
    }

    @Override
    public void registerMarshallers(SerializationContext context) {
      context.registerMarshaller(
          new MessageMarshaller<Point>() {
            @Override
            public Point readFrom(ProtoStreamReader reader) throws IOException {
              return new Point(reader.readInt("x"), reader.readInt("y"));
            }

            @Override
            public void writeTo(ProtoStreamWriter writer, Point point) throws IOException {
              writer.writeInt("x", point.x());
              writer.writeInt("y", point.y());
            }

            @Override
            public Class<Point> getJavaClass() {
              return Point.class;
            }

            @Override
            public String getTypeName() {
              return "t.Point";
            }
          });
    }
  }
}
