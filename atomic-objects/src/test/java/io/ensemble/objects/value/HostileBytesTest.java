package io.ensemble.objects.value;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ensemble.objects.machine.UnreadableException;
import io.ensemble.objects.value.SampleClasses.Color;
import io.ensemble.objects.value.SampleClasses.Line;
import io.ensemble.objects.value.SampleClasses.Node;
import io.ensemble.objects.value.SampleClasses.Order;
import io.ensemble.objects.value.SampleClasses.Ring;
import io.ensemble.objects.value.SampleClasses.Row;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Bytes that are no value fail as unreadable, and in no other way. */
@Timeout(120)
@Execution(ExecutionMode.CONCURRENT)
class HostileBytesTest {

  private final ValueCodec valueCodec =
      ValueCodec.of(
          Set.of(SampleClasses.ALL), ReferenceResolver.NONE, new ProtoStreamTest.TownSchema());

  @Test
  void everyTruncationIsUnreadable() {
    byte[] bytes = valueCodec.write(everything());

    for (int length = 0; length < bytes.length; length++) {
      byte[] cut = Arrays.copyOf(bytes, length);
      assertThatThrownBy(() -> valueCodec.read(cut))
          .as("the first %d bytes", length)
          .isInstanceOf(UnreadableException.class);
    }
  }

  @Test
  void damagedBytesAreReadOrUnreadable() {
    damage(0, 15_000);
  }

  @Test
  @org.junit.jupiter.api.Tag("nightly") // This package has its own Tag.
  void damagedBytesAreReadOrUnreadableWithMoreSeeds() {
    damage(15_000, 100_000);
  }

  private void damage(long from, long end) {
    byte[] bytes = valueCodec.write(everything());
    int unreadable = 0;
    for (long seed = from; seed < end; seed++) {
      byte[] damaged = damaged(bytes, new Random(seed));
      try {
        valueCodec.read(damaged);
      } catch (UnreadableException e) {
        unreadable++;
      } catch (Throwable e) {
        throw new AssertionError("seed " + seed, e);
      }
    }

    assertThat(unreadable).isGreaterThan((int) ((end - from) / 6));
  }

  private static byte[] damaged(byte[] bytes, Random random) {
    byte[] damaged = bytes.clone();
    int changes = 1 + random.nextInt(3);
    for (int i = 0; i < changes; i++) {
      int at = 1 + random.nextInt(bytes.length - 1);
      switch (random.nextInt(4)) {
        case 0 -> damaged[at] ^= (byte) (1 << random.nextInt(8));
        case 1 -> damaged[at] = (byte) random.nextInt(256);
        case 2 -> damaged[at] = -1;
        default -> {
          int from = random.nextInt(bytes.length);
          int length = Math.min(random.nextInt(20), bytes.length - Math.max(at, from));
          System.arraycopy(bytes, from, damaged, at, length);
        }
      }
    }
    return damaged;
  }

  @Test
  void aLengthThatIsALieAllocatesNothing() {
    for (int tag = 0; tag < 256; tag++) {
      ValueOutput out = new ValueOutput();
      out.octet(TypeTag.FORMAT);
      out.octet(tag);
      out.number(Integer.MAX_VALUE);
      out.number(Long.MAX_VALUE);
      assertThatThrownBy(() -> valueCodec.read(out.toBytes()))
          .as("tag %d", tag)
          .isInstanceOf(UnreadableException.class);
    }
  }

  @Test
  void containersInContainersCannotClaimMoreThanThereIs() {
    ValueOutput out = new ValueOutput();
    out.octet(TypeTag.FORMAT);
    for (int i = 0; i < 400; i++) {
      out.octet(TypeTag.ARRAY_LIST_OF_FIXED_SIZE);
      out.number(4_000_000);
    }
    out.space(4_000_000);

    assertThatThrownBy(() -> valueCodec.read(out.toBytes()))
        .isInstanceOf(UnreadableException.class)
        .hasMessageContaining("elements in all");
  }

  @Test
  void nestingWithoutEndIsUnreadable() {
    byte[] bytes = new byte[100_000];
    Arrays.fill(bytes, (byte) TypeTag.OPTIONAL);
    bytes[0] = TypeTag.FORMAT;

    assertThatThrownBy(() -> valueCodec.read(bytes))
        .isInstanceOf(UnreadableException.class)
        .hasMessageContaining("nested");
  }

  @Test
  void aHashCodeWithoutEndIsUnreadable() {
    List<Object> list = new ArrayList<>();
    Set<Object> set = new HashSet<>(Set.of(list));
    list.add(list);
    byte[] bytes = valueCodec.write(set);

    assertThatThrownBy(() -> valueCodec.read(bytes))
        .isInstanceOf(UnreadableException.class)
        .hasCauseInstanceOf(StackOverflowError.class);
  }

  @Test
  void anotherFormatIsUnreadable() {
    assertThatThrownBy(() -> valueCodec.read(new byte[] {2, 0}))
        .isInstanceOf(UnreadableException.class)
        .hasMessageContaining("got 2");
    assertThatThrownBy(() -> valueCodec.read(new byte[] {1, 0, 0}))
        .isInstanceOf(UnreadableException.class)
        .hasMessageContaining("unexpected bytes after a value");
  }

  private static List<Object> everything() {
    Order order = new Order(3);
    order.lines.add(new Line("pen", 2, 1.5, Color.RED));
    order.lines.add(new Line("ink", 1, 2.5, null));
    order.notes.put("k", new TreeMap<>(Map.of("a", 1, "b", order)));
    Ring ring = new Ring();
    ring.name = "r";
    ring.rows = new HashSet<>(Set.of(new Row(ring, "x"), new Row(ring, "y")));
    Node node = new Node("n");
    node.next = List.of(node, Optional.of(new Node("m")));
    List<Object> all =
        new ArrayList<>(List.of(order, ring, node, Instant.EPOCH, UUID.fromString("0-0-0-0-1")));
    all.add(new EnumMap<>(Map.of(Color.RED, new BigDecimal("1.25"))));
    all.add(EnumSet.of(Color.GREEN));
    all.add(new PriorityQueue<>(List.of("b", "a")));
    all.add(new HashMap<>(Map.of(1, "x", 2L, 'c')));
    all.add(new AtomicReference<>(new Object[] {new int[] {1, 2}, new String[] {"s"}, all}));
    all.add(Map.entry("k", "\uD800"));
    all.add(new ProtoStreamTest.Town("Oslo", 5));
    return all;
  }
}
