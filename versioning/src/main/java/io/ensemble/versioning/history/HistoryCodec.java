package io.ensemble.versioning.history;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.ensemble.objects.value.StateCodec;
import io.ensemble.versioning.Retention;
import io.ensemble.versioning.order.VersionSpace;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Histories as bytes. */
public final class HistoryCodec<T> implements StateCodec<History<T>> {

  private static final int FORMAT = 2;
  private static final int NO_PLAN = 0;
  private static final int PACKING = 1;
  private static final int SPLITTING = 2;
  private static final int MERGING = 3;

  private final VersionSpace<T> space;
  private final Limits limits;

  /** Of one cache, all of whose processes have the same space and limits. */
  public HistoryCodec(VersionSpace<T> space, Limits limits) {
    this.space = space;
    this.limits = limits;
  }

  @Override
  public byte[] write(History<T> history) {
    return Wire.written(
        out -> {
          out.writeByte(FORMAT);
          Wire.bytes(out, history.id.getBytes(UTF_8));
          ItemWire.items(out, space, history.items);
          Wire.number(out, history.shards.size());
          for (Shard<T> shard : history.shards) {
            shard(out, shard);
          }
          versions(out, history.maxima);
          numbers(out, history.garbage);
          version(out, history.top);
          optional(out, history.floor);
          optional(out, history.horizon);
          out.writeBoolean(history.admitted);
          retention(out, history.retention);
          Wire.number(out, history.lastSequence);
          Wire.number(out, history.lastNumber);
          plan(out, history.plan);
        });
  }

  @Override
  public History<T> read(byte[] bytes) {
    return Wire.read(
        bytes,
        in -> {
          int format = in.readByte();
          if (format != FORMAT) {
            throw new IllegalArgumentException("format " + FORMAT + " is wanted; got " + format);
          }
          History<T> history = new History<>(space, limits, new String(Wire.bytes(in), UTF_8));
          ItemWire.items(in, space).forEach(history::restore);
          int shards = Wire.count(in);
          for (int i = 0; i < shards; i++) {
            history.shards.add(shard(in));
          }
          history.maxima.addAll(versions(in));
          history.garbage.addAll(numbers(in));
          history.top = version(in);
          history.floor = optional(in);
          history.horizon = optional(in);
          history.admitted = in.readBoolean();
          history.retention = in.readBoolean() ? retention(in) : null;
          history.lastSequence = Wire.number(in);
          history.lastNumber = Wire.number(in);
          history.plan = plan(in);
          return history;
        });
  }

  private void shard(DataOutputStream out, Shard<T> shard) throws IOException {
    Wire.number(out, shard.number());
    version(out, shard.first());
    Wire.like(out, space.write(shard.first()), space.write(shard.last()));
    Wire.number(out, shard.count());
    Wire.number(out, shard.firstSequence());
    Wire.number(out, shard.lastSequence());
    numbers(out, shard.packs());
  }

  private Shard<T> shard(DataInputStream in) throws IOException {
    long number = Wire.number(in);
    byte[] first = Wire.bytes(in);
    byte[] last = Wire.like(in, first);
    int count = Wire.small(in);
    return new Shard<>(
        number,
        space.read(first),
        space.read(last),
        count,
        Wire.number(in),
        Wire.number(in),
        numbers(in));
  }

  private void plan(DataOutputStream out, @Nullable Plan<T> plan) throws IOException {
    if (plan instanceof Plan.Packing<T> packing) {
      out.writeByte(PACKING);
      Wire.number(out, packing.parcels().size());
      for (Plan.Parcel<T> parcel : packing.parcels()) {
        Wire.number(out, parcel.pack());
        versions(out, parcel.versions());
      }
    } else if (plan instanceof Plan.Splitting<T> splitting) {
      out.writeByte(SPLITTING);
      Wire.number(out, splitting.number());
      version(out, splitting.first());
      version(out, splitting.last());
    } else if (plan instanceof Plan.Merging<T> merging) {
      out.writeByte(MERGING);
      Wire.number(out, merging.number());
      Wire.number(out, merging.replaced());
      versions(out, merging.versions());
    } else {
      out.writeByte(NO_PLAN);
    }
  }

  private @Nullable Plan<T> plan(DataInputStream in) throws IOException {
    int kind = in.readByte();
    switch (kind) {
      case NO_PLAN:
        return null;
      case PACKING:
        int count = Wire.count(in);
        List<Plan.Parcel<T>> parcels = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
          parcels.add(new Plan.Parcel<>(Wire.number(in), versions(in)));
        }
        return new Plan.Packing<>(parcels);
      case SPLITTING:
        return new Plan.Splitting<>(Wire.number(in), version(in), version(in));
      case MERGING:
        return new Plan.Merging<>(Wire.number(in), Wire.number(in), versions(in));
      default:
        throw new IllegalArgumentException("no such plan: " + kind);
    }
  }

  private static void retention(DataOutputStream out, @Nullable Retention retention)
      throws IOException {
    out.writeBoolean(retention != null);
    if (retention != null) {
      Wire.number(out, retention.mostVersions());
      Wire.number(out, retention.mostMillis());
      Wire.number(out, retention.leastMillis());
    }
  }

  private static Retention retention(DataInputStream in) throws IOException {
    return new Retention(Wire.small(in), Wire.number(in), Wire.number(in));
  }

  private void version(DataOutputStream out, T version) throws IOException {
    Wire.bytes(out, space.write(version));
  }

  private T version(DataInputStream in) throws IOException {
    return space.read(Wire.bytes(in));
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
    Wire.number(out, versions.size());
    for (T version : versions) {
      byte[] bytes = space.write(version);
      Wire.like(out, before, bytes);
      before = bytes;
    }
  }

  private List<T> versions(DataInputStream in) throws IOException {
    int count = Wire.count(in);
    List<T> versions = new ArrayList<>(count);
    byte[] bytes = new byte[0];
    for (int i = 0; i < count; i++) {
      bytes = Wire.like(in, bytes);
      versions.add(space.read(bytes));
    }
    return versions;
  }

  private static void numbers(DataOutputStream out, List<Long> numbers) throws IOException {
    long before = 0;
    Wire.number(out, numbers.size());
    for (long number : numbers) {
      Wire.difference(out, number - before);
      before = number;
    }
  }

  private static List<Long> numbers(DataInputStream in) throws IOException {
    int count = Wire.count(in);
    List<Long> numbers = new ArrayList<>(count);
    long number = 0;
    for (int i = 0; i < count; i++) {
      number += Wire.difference(in);
      numbers.add(number);
    }
    return numbers;
  }
}
