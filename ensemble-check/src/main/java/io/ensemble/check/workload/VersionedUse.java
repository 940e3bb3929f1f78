package io.ensemble.check.workload;

import io.ensemble.versioning.Versioned;
import io.ensemble.versioning.VersionedCache;
import io.ensemble.versioning.VersioningException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A client of a key with versions. Most versions are added above the others; some are added among
 * them, or repeat one. The client compacts at a version that it has seen, so that the call means
 * the state of one moment.
 */
public final class VersionedUse implements ObjectUse {
  /** Adds one version. */
  public static final String PUT = "put_version";

  /** Adds several versions, between which others may come: not one operation. */
  public static final String ADD_ALL = "put_versions";

  /** The result of {@link #PUT} when the version was added. */
  public static final String ADDED = "added";

  private static final int MOST_AT_ONCE = 8;
  private static final int MOST_KNOWN = 200;
  private static final int WIDEST = 60;
  private static final int LONGEST_LEAP = 20;

  private final VersionedCache<String, Long, Long> cache;
  private final String key;

  /** Versions that were seen, the last ones last. */
  private final List<Long> known = new ArrayList<>();

  private long highest;
  private int finalReads;

  VersionedUse(VersionedCache<String, Long, Long> cache, String key) {
    this.cache = cache;
    this.key = key;
  }

  @Override
  public ObjectCall next(SplittableRandom random, long fresh) {
    long value = fresh * MOST_AT_ONCE;
    long version = versionNearKnown(random);
    int kind = random.nextInt(100);
    if (kind < 25) {
      return ObjectCall.of("add_version", value, () -> cache.add(key, value));
    }
    if (kind < 42) {
      long wanted = newVersion(random);
      return of(PUT, List.of(wanted, value), () -> put(wanted, value));
    }
    if (kind < 46) {
      return addAll(random, value);
    }
    if (kind < 58) {
      return of("latest", null, () -> pair(cache.latest(key)));
    }
    if (kind < 68) {
      return of("get_version", version, () -> pair(version, cache.get(key, version)));
    }
    if (kind < 76) {
      return range(version, version + random.nextInt(WIDEST));
    }
    if (kind < 82) {
      return of("predecessor", version, () -> pair(cache.getPredecessor(key, version)));
    }
    if (kind < 88) {
      return of("successor", version, () -> pair(cache.getSuccessor(key, version)));
    }
    if (kind < 96) {
      return versions(
          random.nextBoolean() ? version : null,
          random.nextBoolean() ? version + WIDEST : null,
          1 + random.nextInt(WIDEST),
          random.nextBoolean());
    }
    long old = oldVersion(random);
    if (kind < 98) {
      return uncertainCall("as_of", old, () -> pair(cache.asOf(key, old)));
    }
    return known.isEmpty() || kind == 98
        ? range(version, version)
        : uncertainCall("compact", old, () -> compact(old));
  }

  /** A version that was seen, or one near it. */
  private long versionNearKnown(SplittableRandom random) {
    return Math.max(1, knownVersion(random) + Math.max(0, random.nextInt(9) - 5));
  }

  private long knownVersion(SplittableRandom random) {
    return known.isEmpty() ? 1 : known.get(random.nextInt(known.size()));
  }

  /** The oldest of some versions that were seen. */
  private long oldVersion(SplittableRandom random) {
    return Math.min(
        Math.min(knownVersion(random), knownVersion(random)),
        Math.min(knownVersion(random), knownVersion(random)));
  }

  /** A version above all, among them, below, or equal to one. */
  private long newVersion(SplittableRandom random) {
    return switch (random.nextInt(8)) {
      case 0, 1, 2 -> highest + 1 + random.nextInt(LONGEST_LEAP);
      case 3, 4, 5 -> knownVersion(random) + 1 + random.nextInt(LONGEST_LEAP);
      case 6 -> random.nextInt(4) == 0 ? random.nextInt(3) : oldVersion(random) + 1;
      default -> knownVersion(random);
    };
  }

  private ObjectCall addAll(SplittableRandom random, long value) {
    List<Versioned<Long, Long>> all = new ArrayList<>();
    List<List<Long>> pairs = new ArrayList<>();
    long version = random.nextInt(4) == 0 ? knownVersion(random) : highest + LONGEST_LEAP;
    for (int i = random.nextInt(MOST_AT_ONCE); i >= 0; i--) {
      version += 1 + random.nextInt(LONGEST_LEAP);
      all.add(new Versioned<>(version, Optional.of(value + i)));
      pairs.add(List.of(version, value + i));
    }
    return uncertainCall(ADD_ALL, pairs, () -> addAll(all));
  }

  private @Nullable Object addAll(List<Versioned<Long, Long>> all) {
    try {
      cache.addAll(key, all);
      return null;
    } catch (VersioningException.VersionExists
        | VersioningException.VersionBelowSnapshot
        | VersioningException.VersionCompacted partly) {
      return ObjectCall.MissingAnswer
          .UNKNOWN; // For each version: those before the refused one are there.
    }
  }

  private String put(long version, long value) {
    try {
      cache.put(key, value, version);
      return ADDED;
    } catch (VersioningException.VersionExists e) {
      return "exists";
    } catch (VersioningException.VersionBelowSnapshot e) {
      return "below_cut";
    } catch (VersioningException.VersionNotAbove e) {
      return "not_above";
    } catch (VersioningException.VersionCompacted e) {
      return "compacted";
    }
  }

  private @Nullable Object compact(long version) {
    cache.compact(key, version);
    return null;
  }

  private ObjectCall range(long from, long to) {
    return of("range", List.of(from, to), () -> pairs(cache.getRange(key, from, to)));
  }

  private ObjectCall versions(
      @Nullable Long from, @Nullable Long to, int limit, boolean descending) {
    Long end = from != null && to != null ? (Long) Math.max(from, to) : to;
    return of(
        "versions",
        Arrays.asList(from, end, limit, descending),
        () -> cache.versions(key, from, end, limit, descending));
  }

  private static @Nullable Object pair(Optional<Versioned<Long, Long>> found) {
    return found.map(VersionedUse::pair).orElse(null);
  }

  private static List<Long> pair(Versioned<Long, Long> found) {
    return List.of(found.version(), found.value().orElseThrow());
  }

  private static Object pair(long version, Optional<Long> value) {
    return List.of(version, value.orElseThrow());
  }

  private static List<List<Long>> pairs(List<Versioned<Long, Long>> found) {
    return found.stream().map(VersionedUse::pair).toList();
  }

  /** A call that has no effect if it fails without an answer. */
  private static ObjectCall of(
      String op, @Nullable Object in, Supplier<? extends @Nullable Object> ask) {
    return of(op, in, ask, ObjectCall.MissingAnswer.REFUSED);
  }

  /** A call that may have an effect even if it fails without an answer. */
  private static ObjectCall uncertainCall(
      String op, @Nullable Object in, Supplier<? extends @Nullable Object> ask) {
    return of(op, in, ask, ObjectCall.MissingAnswer.UNKNOWN);
  }

  private static ObjectCall of(
      String op,
      @Nullable Object in,
      Supplier<? extends @Nullable Object> ask,
      ObjectCall.MissingAnswer otherwise) {
    return new ObjectCall(
        op,
        null,
        in,
        () -> {
          try {
            return ask.get();
          } catch (VersioningException.UnknownVersion e) {
            return "unknown";
          } catch (VersioningException.VersionCompacted e) {
            return "compacted";
          } catch (VersioningException.TooManyChanges | VersioningException.StoreUnavailable none) {
            return otherwise;
          }
        });
  }

  @Override
  public void returned(ObjectCall call, @Nullable Object result) {
    if (result instanceof Long added) {
      recordVersion(added);
    } else if (call.in() instanceof List<?> put && ADDED.equals(result)) {
      recordVersion((Long) put.get(0));
    } else if (result instanceof List<?> list && !list.isEmpty()) {
      Object first = list.get(0);
      recordVersion(first instanceof List<?> pair ? (Long) pair.get(0) : (Long) first);
    }
  }

  private void recordVersion(long version) {
    known.add(version);
    highest = Math.max(highest, version);
    if (known.size() > MOST_KNOWN) {
      known.remove(0);
    }
  }

  /** Reads all data, in each available manner. */
  @Override
  public ObjectCall last() {
    return switch (finalReads++) {
      case 0 ->
          of(
              "range",
              List.of(0L, Long.MAX_VALUE),
              () -> {
                cache.settle(key);
                return pairs(cache.getRange(key, 0L, Long.MAX_VALUE));
              });
      case 1 -> versions(null, null, Integer.MAX_VALUE, false);
      default -> of("latest", null, () -> pair(cache.latest(key)));
    };
  }

  @Override
  public boolean hasMore(@Nullable Object result) {
    return finalReads < 3;
  }
}
