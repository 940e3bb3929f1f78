package io.ensemble.versioning.order;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;

/**
 * Version vectors: of two versions, neither is below the other if each includes a version that the
 * other does not. A process writes under one name, which no other process has.
 */
public final class VersionVectors implements VersionSpace<VersionVector> {

  private final String writer;

  /** For versions written by {@code writer}. */
  public VersionVectors(String writer) {
    VersionVector.checkWriter(writer);
    this.writer = writer;
  }

  @Override
  public String name() {
    return "version-vectors";
  }

  @Override
  public VersionVector initial() {
    return VersionVector.NONE;
  }

  @Override
  public boolean isBelow(VersionVector a, VersionVector b) {
    return b.contains(a) && !a.contains(b);
  }

  @Override
  public VersionVector join(VersionVector a, VersionVector b) {
    return a.join(b);
  }

  @Override
  public VersionVector above(VersionVector bound, VersionVector proposal) {
    return bound.next(proposal);
  }

  @Override
  public VersionVector proposal() {
    return VersionVector.of(writer);
  }

  @Override
  public boolean isTotal() {
    return false;
  }

  /** By the sum of the counts; then by the first writer whose counts differ. */
  @Override
  public int compare(VersionVector a, VersionVector b) {
    int bySum = Long.compare(a.sum(), b.sum());
    return bySum != 0 ? bySum : Arrays.compare(write(a), write(b));
  }

  @Override
  public byte[] write(VersionVector version) {
    int size = 0;
    for (String name : version.counts().keySet()) {
      size += 1 + name.getBytes(UTF_8).length + Long.BYTES;
    }
    ByteBuffer bytes = ByteBuffer.allocate(size);
    for (Map.Entry<String, Long> entry : version.counts().entrySet()) {
      byte[] name = entry.getKey().getBytes(UTF_8);
      bytes.put((byte) name.length).put(name).putLong(entry.getValue());
    }
    return bytes.array();
  }

  @Override
  public VersionVector read(byte[] bytes) {
    ByteBuffer buffer = ByteBuffer.wrap(bytes);
    TreeMap<String, Long> counts = new TreeMap<>();
    try {
      while (buffer.hasRemaining()) {
        byte[] name = new byte[buffer.get()];
        buffer.get(name);
        counts.put(new String(name, UTF_8), buffer.getLong());
      }
    } catch (BufferUnderflowException | NegativeArraySizeException e) {
      throw new IllegalArgumentException("malformed version vector: " + Arrays.toString(bytes), e);
    }
    return new VersionVector(counts);
  }
}
