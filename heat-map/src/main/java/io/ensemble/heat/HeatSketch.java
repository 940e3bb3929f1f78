package io.ensemble.heat;

import io.ensemble.CacheOperationRecorder;
import io.ensemble.site.Bytes;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import java.util.zip.CRC32;
import org.apache.datasketches.frequencies.ItemsSketch;
import org.apache.datasketches.hll.HllSketch;
import org.apache.datasketches.hll.TgtHllType;
import org.apache.datasketches.hll.Union;
import org.apache.datasketches.kll.KllFloatsSketch;
import org.apache.datasketches.memory.Memory;

/**
 * A summary of operations in bounded memory: the keys used most, the number of different keys, the
 * sizes of values, reads and writes, and requests to sites. Summaries can be merged, with the same
 * bounds of error as one summary of all operations. Not thread-safe.
 */
final class HeatSketch {

  /** Counts at most three quarters of this number of keys; the error is 3.5 of this fraction. */
  static final int KEY_MAP = 512;

  /** 2,048 registers: a standard error of 2.3 %. */
  private static final int LG_REGISTERS = 11;

  /** A rank error of 1.3 %. */
  private static final int SIZE_K = 200;

  static final int MOST_SITES = 64;

  /** Sites beyond {@link #MOST_SITES}, together. */
  static final String OTHER_SITES = "(others)";

  private static final int FORMAT = 2;
  private static final KeySerializer KEYS = new KeySerializer();

  /** The requests to a site. */
  record SiteRequests(long reads, long writes) {
    SiteRequests plus(SiteRequests other) {
      return new SiteRequests(reads + other.reads, writes + other.writes);
    }
  }

  private final boolean isHmac;
  private final ItemsSketch<Bytes> keys;
  private final HllSketch hashes;
  private final KllFloatsSketch sizes;
  private final Map<String, SiteRequests> sites = new TreeMap<>();
  private Union distinct = new Union(LG_REGISTERS);
  private ProcessPlace place = ProcessPlace.UNKNOWN;
  private long reads;
  private long writes;

  /**
   * @param isHmac whether keys are HMACs
   */
  HeatSketch(boolean isHmac) {
    this(isHmac, new ItemsSketch<>(KEY_MAP), KllFloatsSketch.newHeapInstance(SIZE_K));
  }

  private HeatSketch(boolean isHmac, ItemsSketch<Bytes> keys, KllFloatsSketch sizes) {
    this.isHmac = isHmac;
    this.keys = keys;
    this.sizes = sizes;
    this.hashes = new HllSketch(LG_REGISTERS, TgtHllType.HLL_8);
  }

  void read(Bytes key, int valueBytes) {
    reads++;
    add(key, valueBytes);
  }

  void write(Bytes key, int valueBytes) {
    writes++;
    add(key, valueBytes);
  }

  private void add(Bytes key, int valueBytes) {
    Bytes held = SketchKey.of(key);
    keys.update(held);
    hashes.update(held.array());
    if (valueBytes != CacheOperationRecorder.NO_VALUE) {
      sizes.update(valueBytes);
    }
  }

  void requests(String site, SiteRequests more) {
    String name = sites.containsKey(site) || sites.size() < MOST_SITES ? site : OTHER_SITES;
    sites.merge(name, more, SiteRequests::plus);
  }

  /** Says where the process of this summary is. */
  void at(ProcessPlace there) {
    place = there;
  }

  /** Where the process is that recorded this summary; a merge does not change it. */
  ProcessPlace place() {
    return place;
  }

  /** Adds the operations of {@code other}, which stays as it is. */
  void merge(HeatSketch other) {
    keys.merge(other.keys);
    distinct.update(other.distinct());
    sizes.merge(other.sizes);
    other.sites.forEach(this::requests);
    reads += other.reads;
    writes += other.writes;
  }

  boolean isHmac() {
    return isHmac;
  }

  boolean isEmpty() {
    return reads == 0 && writes == 0 && sites.isEmpty();
  }

  long reads() {
    return reads;
  }

  long writes() {
    return writes;
  }

  ItemsSketch<Bytes> keys() {
    return keys;
  }

  /** The sketch of all keys. */
  HllSketch distinct() {
    Union all = new Union(LG_REGISTERS);
    all.update(hashes);
    all.update(distinct.getResult(TgtHllType.HLL_8));
    return all.getResult(TgtHllType.HLL_4);
  }

  KllFloatsSketch sizes() {
    return sizes;
  }

  Map<String, SiteRequests> sites() {
    return sites;
  }

  byte[] toBytes() {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    DataOutputStream out = new DataOutputStream(bytes);
    try {
      out.writeByte(FORMAT);
      out.writeBoolean(isHmac);
      out.writeLong(reads);
      out.writeLong(writes);
      out.writeByte(sites.size());
      for (Map.Entry<String, SiteRequests> site : sites.entrySet()) {
        out.writeUTF(site.getKey());
        out.writeLong(site.getValue().reads());
        out.writeLong(site.getValue().writes());
      }
      place.writeTo(out);
      part(out, keys.isEmpty() ? new byte[0] : keys.toByteArray(KEYS));
      part(out, distinct().toCompactByteArray());
      part(out, sizes.isEmpty() ? new byte[0] : sizes.toByteArray());
      out.writeInt(crc(bytes.toByteArray(), bytes.size()));
    } catch (IOException impossible) {
      throw new AssertionError("a stream in memory cannot fail", impossible);
    }
    return bytes.toByteArray();
  }

  private static void part(DataOutputStream out, byte[] part) throws IOException {
    out.writeInt(part.length);
    out.write(part);
  }

  /**
   * The summary of which {@code bytes} is the encoding.
   *
   * @throws IllegalArgumentException if it is none
   */
  static HeatSketch of(byte[] bytes) {
    try {
      return read(bytes);
    } catch (IOException | RuntimeException | AssertionError malformed) {
      throw new IllegalArgumentException(
          "malformed window of a heat map; bytes=" + bytes.length, malformed);
    }
  }

  private static HeatSketch read(byte[] bytes) throws IOException {
    DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes));
    int format = in.readByte();
    int length = bytes.length - Integer.BYTES;
    if (format != FORMAT || crc(bytes, length) != lastInt(bytes, length)) {
      throw new IOException("expected format " + FORMAT + " and a checksum; got format " + format);
    }
    boolean isHmac = in.readBoolean();
    long reads = in.readLong();
    long writes = in.readLong();
    Map<String, SiteRequests> sites = new TreeMap<>();
    for (int left = in.readByte(); left > 0; left--) {
      sites.put(in.readUTF(), new SiteRequests(in.readLong(), in.readLong()));
    }
    ProcessPlace place = ProcessPlace.readFrom(in);
    byte[] keys = part(in);
    byte[] distinct = part(in);
    byte[] sizes = part(in);
    HeatSketch read =
        new HeatSketch(
            isHmac,
            keys.length == 0
                ? new ItemsSketch<>(KEY_MAP)
                : ItemsSketch.getInstance(Memory.wrap(keys), KEYS),
            sizes.length == 0
                ? KllFloatsSketch.newHeapInstance(SIZE_K)
                : KllFloatsSketch.heapify(Memory.wrap(sizes)));
    read.place = place;
    read.reads = reads;
    read.writes = writes;
    sites.forEach(read::requests);
    read.distinct = new Union(LG_REGISTERS);
    read.distinct.update(HllSketch.heapify(distinct));
    return read;
  }

  private static byte[] part(DataInputStream in) throws IOException {
    int length = in.readInt();
    byte[] part = in.readNBytes(Math.max(0, Math.min(length, in.available())));
    if (part.length != length) {
      throw new IOException("a part is cut off; expected=" + length + " got=" + part.length);
    }
    return part;
  }

  private static int lastInt(byte[] bytes, int at) throws IOException {
    return new DataInputStream(new ByteArrayInputStream(Arrays.copyOfRange(bytes, at, at + 4)))
        .readInt();
  }

  private static int crc(byte[] bytes, int length) {
    CRC32 crc = new CRC32();
    crc.update(bytes, 0, length);
    return (int) crc.getValue();
  }
}
