package io.ensemble.benchmarks.contest;

import io.ensemble.benchmarks.measure.WeakBenchmark;
import java.util.function.Consumer;
import java.util.function.LongPredicate;
import site.ycsb.generator.AcknowledgedCounterGenerator;
import site.ycsb.generator.ScrambledZipfianGenerator;
import site.ycsb.generator.SkewedLatestGenerator;

/**
 * The operations of callers, as YCSB defines them; a write stores a whole value. The operation of a
 * number is a read or a write for every contender alike.
 *
 * @param name as in the paper
 * @param reads the share of reads
 * @param popularity the distribution of keys
 */
public record Workload(String name, double reads, KeyDistribution popularity) {

  /** The distribution of keys. */
  public enum KeyDistribution {
    /** All keys equally. */
    UNIFORM,
    /** Some keys much more than others. */
    ZIPFIAN,
    /** The newest keys most; a write stores a new key. */
    LATEST
  }

  /** Keys of one contender. */
  public interface KeyChoice {

    /** An existing key. */
    String toRead(long number);

    /** Writes a key. */
    void write(long number, Consumer<String> write);
  }

  public LongPredicate writes() {
    return number -> fraction(number) >= reads;
  }

  /** The keys of one contender that has loaded {@code records} of them. */
  public KeyChoice choice(int records) {
    return switch (popularity) {
      case UNIFORM -> new ExistingKeys(number -> WeakBenchmark.mixed(number, records));
      case ZIPFIAN -> {
        ScrambledZipfianGenerator keys = new ScrambledZipfianGenerator(0, records - 1);
        yield new ExistingKeys(number -> keys.nextValue());
      }
      case LATEST -> new LatestKeys(records);
    };
  }

  public static String key(long number) {
    return "user" + number;
  }

  /** Spread evenly over 0 to 1, without a pattern that the choice of keys could share. */
  private static double fraction(long number) {
    long mixed = (number + 1) * 0xBF58476D1CE4E5B9L;
    mixed = (mixed ^ (mixed >>> 31)) * 0x94D049BB133111EBL;
    return (mixed >>> 11) * 0x1.0p-53;
  }

  private record ExistingKeys(java.util.function.LongUnaryOperator chosen) implements KeyChoice {

    @Override
    public String toRead(long number) {
      return key(chosen.applyAsLong(number));
    }

    @Override
    public void write(long number, Consumer<String> write) {
      write.accept(key(chosen.applyAsLong(number)));
    }
  }

  private static final class LatestKeys implements KeyChoice {

    private final AcknowledgedCounterGenerator newest;
    private final SkewedLatestGenerator keys;

    LatestKeys(int records) {
      newest = new AcknowledgedCounterGenerator(records);
      keys = new SkewedLatestGenerator(newest);
    }

    @Override
    public String toRead(long number) {
      return key(keys.nextValue());
    }

    @Override
    public void write(long number, Consumer<String> write) {
      long fresh = newest.nextValue();
      write.accept(key(fresh));
      newest.acknowledge(fresh);
    }
  }
}
