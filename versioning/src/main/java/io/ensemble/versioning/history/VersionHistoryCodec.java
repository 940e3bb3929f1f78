package io.ensemble.versioning.history;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.ensemble.objects.value.StateCodec;
import io.ensemble.versioning.Retention;
import io.ensemble.versioning.index.CompactEncoding;
import io.ensemble.versioning.index.IndexEntryCodec;
import io.ensemble.versioning.index.IndexShard;
import io.ensemble.versioning.order.VersionSpace;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Encodes and decodes histories. */
public final class VersionHistoryCodec<T> implements StateCodec<VersionHistory<T>> {

  private static final int FORMAT = 4;
  private static final int NO_PLAN = 0;
  private static final int PACKING = 1;
  private static final int SPLITTING = 2;
  private static final int MERGING = 3;

  /**
   * Keeps malformed bytes from being read as a list that fills the memory. Longer lists are not
   * written, so a change that would need one is refused.
   */
  private static final int MOST_NUMBERS = 1 << 20;

  private final VersionSpace<T> space;
  private final HistoryLimits limits;

  /** For one cache, all of whose processes have the same space and limits. */
  public VersionHistoryCodec(VersionSpace<T> space, HistoryLimits limits) {
    this.space = space;
    this.limits = limits;
  }

  @Override
  public byte[] write(VersionHistory<T> history) {
    return CompactEncoding.written(
        out -> {
          out.writeByte(FORMAT);
          CompactEncoding.bytes(out, history.id.getBytes(UTF_8));
          IndexEntryCodec.items(out, space, history.items);
          CompactEncoding.number(out, history.shards.size());
          for (IndexShard<T> shard : history.shards) {
            shard(out, shard);
          }
          versions(out, history.heads);
          numbers(out, history.garbage);
          version(out, history.top);
          optional(out, history.floor);
          optional(out, history.horizon);
          out.writeBoolean(history.hasCompacted);
          out.writeBoolean(history.snapshotRead);
          retention(out, history.retention);
          CompactEncoding.number(out, history.lastSequence);
          CompactEncoding.number(out, history.lastNumber);
          plan(out, history.plan);
        });
  }

  @Override
  public VersionHistory<T> read(byte[] bytes) {
    return CompactEncoding.read(
        bytes,
        in -> {
          int format = in.readByte();
          if (format != FORMAT) {
            throw new IllegalArgumentException("expected format " + FORMAT + "; got " + format);
          }
          VersionHistory<T> history =
              new VersionHistory<>(space, limits, new String(CompactEncoding.bytes(in), UTF_8));
          IndexEntryCodec.items(in, space).forEach(history::restore);
          int shards = CompactEncoding.count(in);
          for (int i = 0; i < shards; i++) {
            history.shards.add(shard(in));
          }
          history.heads.addAll(versions(in));
          history.garbage.addAll(numbers(in));
          history.top = version(in);
          history.floor = optional(in);
          history.horizon = optional(in);
          history.hasCompacted = in.readBoolean();
          history.snapshotRead = in.readBoolean();
          history.retention = in.readBoolean() ? retention(in) : null;
          history.lastSequence = CompactEncoding.number(in);
          history.lastNumber = CompactEncoding.number(in);
          history.plan = plan(in);
          return history;
        });
  }

  private void shard(DataOutputStream out, IndexShard<T> shard) throws IOException {
    CompactEncoding.number(out, shard.number());
    version(out, shard.first());
    CompactEncoding.like(out, space.write(shard.first()), space.write(shard.last()));
    CompactEncoding.number(out, shard.count());
    CompactEncoding.number(out, shard.firstSequence());
    CompactEncoding.number(out, shard.lastSequence());
    numbers(out, shard.packs());
  }

  private IndexShard<T> shard(DataInputStream in) throws IOException {
    long number = CompactEncoding.number(in);
    byte[] first = CompactEncoding.bytes(in);
    byte[] last = CompactEncoding.like(in, first);
    int count = CompactEncoding.small(in);
    return new IndexShard<>(
        number,
        space.read(first),
        space.read(last),
        count,
        CompactEncoding.number(in),
        CompactEncoding.number(in),
        numbers(in));
  }

  private void plan(DataOutputStream out, @Nullable OffloadPlan<T> plan) throws IOException {
    if (plan instanceof OffloadPlan.Packing<T> packing) {
      out.writeByte(PACKING);
      CompactEncoding.number(out, packing.parcels().size());
      for (OffloadPlan.Parcel<T> parcel : packing.parcels()) {
        CompactEncoding.number(out, parcel.pack());
        versions(out, parcel.versions());
      }
    } else if (plan instanceof OffloadPlan.Splitting<T> splitting) {
      out.writeByte(SPLITTING);
      CompactEncoding.number(out, splitting.number());
      CompactEncoding.number(out, splitting.replaced());
      version(out, splitting.first());
      version(out, splitting.last());
    } else if (plan instanceof OffloadPlan.Merging<T> merging) {
      out.writeByte(MERGING);
      CompactEncoding.number(out, merging.number());
      CompactEncoding.number(out, merging.replaced());
      versions(out, merging.versions());
    } else {
      out.writeByte(NO_PLAN);
    }
  }

  private @Nullable OffloadPlan<T> plan(DataInputStream in) throws IOException {
    int kind = in.readByte();
    switch (kind) {
      case NO_PLAN:
        return null;
      case PACKING:
        int count = CompactEncoding.count(in);
        List<OffloadPlan.Parcel<T>> parcels = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
          parcels.add(new OffloadPlan.Parcel<>(CompactEncoding.number(in), versions(in)));
        }
        return new OffloadPlan.Packing<>(parcels);
      case SPLITTING:
        return new OffloadPlan.Splitting<>(
            CompactEncoding.number(in), CompactEncoding.number(in), version(in), version(in));
      case MERGING:
        return new OffloadPlan.Merging<>(
            CompactEncoding.number(in), CompactEncoding.number(in), versions(in));
      default:
        throw new IllegalArgumentException("unknown plan: " + kind);
    }
  }

  private static void retention(DataOutputStream out, @Nullable Retention retention)
      throws IOException {
    out.writeBoolean(retention != null);
    if (retention != null) {
      CompactEncoding.number(out, retention.mostVersions());
      CompactEncoding.number(out, retention.mostMillis());
      CompactEncoding.number(out, retention.leastMillis());
    }
  }

  private static Retention retention(DataInputStream in) throws IOException {
    return new Retention(
        CompactEncoding.small(in), CompactEncoding.number(in), CompactEncoding.number(in));
  }

  private void version(DataOutputStream out, T version) throws IOException {
    CompactEncoding.bytes(out, space.write(version));
  }

  private T version(DataInputStream in) throws IOException {
    return space.read(CompactEncoding.bytes(in));
  }

  private void optional(DataOutputStream out, @Nullable T version) throws IOException {
    out.writeBoolean(version != null);
    if (version != null) {
      version(out, version);
    }
  }

  private @Nullable T optional(DataInputStream in) throws IOException {
    return in.readBoolean() ? version(in) : null;
  }

  private void versions(DataOutputStream out, List<T> versions) throws IOException {
    byte[] before = new byte[0];
    CompactEncoding.number(out, versions.size());
    for (T version : versions) {
      byte[] bytes = space.write(version);
      CompactEncoding.like(out, before, bytes);
      before = bytes;
    }
  }

  private List<T> versions(DataInputStream in) throws IOException {
    int count = CompactEncoding.count(in);
    List<T> versions = new ArrayList<>(count);
    byte[] bytes = new byte[0];
    for (int i = 0; i < count; i++) {
      bytes = CompactEncoding.like(in, bytes);
      versions.add(space.read(bytes));
    }
    return versions;
  }

  /** Writes runs of numbers that follow one another, each as its difference from the one before. */
  private static void numbers(DataOutputStream out, List<Long> numbers) throws IOException {
    long before = 0;
    checkCount(numbers.size());
    CompactEncoding.number(out, numbers.size());
    for (int i = 0; i < numbers.size(); ) {
      long first = numbers.get(i);
      int length = 1;
      while (i + length < numbers.size() && numbers.get(i + length) == first + length) {
        length++;
      }
      CompactEncoding.difference(out, first - before);
      CompactEncoding.number(out, length);
      before = first + length;
      i += length;
    }
  }

  private static void checkCount(int count) {
    if (count > MOST_NUMBERS) {
      throw new IllegalArgumentException(
          "a list must have at most "
              + MOST_NUMBERS
              + " numbers; got "
              + count
              + "; compact in smaller steps");
    }
  }

  private static List<Long> numbers(DataInputStream in) throws IOException {
    int count = CompactEncoding.small(in);
    checkCount(count);
    List<Long> numbers = new ArrayList<>();
    long before = 0;
    while (numbers.size() < count) {
      long first = before + CompactEncoding.difference(in);
      int length = CompactEncoding.small(in);
      if (length < 1 || length > count - numbers.size()) {
        throw new IllegalArgumentException("a run of " + length + " numbers in a list of " + count);
      }
      for (int i = 0; i < length; i++) {
        numbers.add(first + i);
      }
      before = first + length;
    }
    return numbers;
  }
}
