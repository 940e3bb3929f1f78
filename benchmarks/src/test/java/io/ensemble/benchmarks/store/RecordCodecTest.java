package io.ensemble.benchmarks.store;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class RecordCodecTest {

  private static final byte[] LONG = new byte[20_000];

  @Test
  void whatIsEncodedIsDecoded() {
    Arrays.fill(LONG, (byte) 7);
    Map<String, byte[]> fields = Map.of("a", bytes("1"), "größe", LONG, "empty", new byte[0]);

    Map<String, byte[]> decoded = RecordCodec.decode(RecordCodec.encode(fields), null);

    assertThat(decoded).containsOnlyKeys("a", "größe", "empty");
    fields.forEach((name, content) -> assertThat(decoded.get(name)).isEqualTo(content));
  }

  @Test
  void equalRecordsHaveEqualBytes() {
    Map<String, byte[]> oneOrder = new LinkedHashMap<>();
    oneOrder.put("a", bytes("1"));
    oneOrder.put("b", bytes("2"));
    Map<String, byte[]> theOther = new LinkedHashMap<>();
    theOther.put("b", bytes("2"));
    theOther.put("a", bytes("1"));

    assertThat(RecordCodec.encode(oneOrder)).isEqualTo(RecordCodec.encode(theOther));
  }

  @Test
  void aRecordIsCompact() {
    assertThat(RecordCodec.encode(Map.of("field0", new byte[100]))).hasSize(1 + 1 + 6 + 1 + 100);
  }

  @Test
  void onlyWantedFieldsAreDecoded() {
    byte[] record = RecordCodec.encode(Map.of("a", bytes("1"), "b", bytes("2"), "c", bytes("3")));

    assertThat(RecordCodec.decode(record, Set.of("b", "x"))).containsOnlyKeys("b");
  }

  @Test
  void mergingReplacesAndAddsFields() {
    byte[] record = RecordCodec.encode(Map.of("a", bytes("1"), "b", bytes("2")));

    byte[] merged = RecordCodec.merge(record, Map.of("b", bytes("22"), "c", bytes("3")));

    assertThat(merged)
        .isEqualTo(RecordCodec.encode(Map.of("a", bytes("1"), "b", bytes("22"), "c", bytes("3"))));
  }

  @Test
  void noTruncatedRecordIsTakenForAWholeOne() {
    byte[] record = RecordCodec.encode(Map.of("a", bytes("1"), "b", LONG));

    for (int length = 0; length < record.length; length += 1 + length / 4) {
      byte[] cut = Arrays.copyOf(record, length);
      assertThatThrownBy(() -> RecordCodec.decode(cut, null))
          .isInstanceOf(IllegalArgumentException.class);
    }
    assertThatThrownBy(() -> RecordCodec.decode(Arrays.copyOf(record, record.length + 1), null))
        .isInstanceOf(IllegalArgumentException.class);
  }

  private static byte[] bytes(String text) {
    return text.getBytes(UTF_8);
  }
}
