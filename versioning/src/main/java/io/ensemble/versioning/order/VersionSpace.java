package io.ensemble.versioning.order;

import java.util.Optional;
import java.util.OptionalLong;

/**
 * The versions of a cache: a partial order with a join for every two, and a smallest one (D2.6,
 * appendix A, section III.A). Methods return the same result in every process at any time.
 * Exceptions are methods that depend on the clock of the process or on the versions that it has
 * seen. Thread-safe.
 *
 * @param <T> a version; immutable, with {@code equals}
 */
public interface VersionSpace<T> {

  /** Identifies the space of a cache; a cache of another space cannot be opened with this one. */
  String name();

  /** The version below all others. No value has this version. */
  T initial();

  /** Whether {@code a} is strictly below {@code b}. */
  boolean isBelow(T a, T b);

  /** The smallest version that is not below either. */
  T join(T a, T b);

  /**
   * A version strictly above {@code bound} that the process of {@code proposal} has not been given
   * before.
   *
   * @throws ArithmeticException if there is none
   */
  T above(T bound, T proposal);

  /** The version that this process would give to a first value. */
  T proposal();

  /**
   * This process has seen a version: its later proposals come after it, unless the version is
   * {@linkplain #isTooFarAhead too far ahead}.
   */
  default void observe(T version) {}

  /**
   * Whether a version is ahead of this process's clock by more than the space accepts. Such a
   * version cannot be chosen, a key cannot be read as of it, and {@link #observe} does not adopt
   * it. False for versions that do not follow clocks.
   */
  default boolean isTooFarAhead(T version) {
    return false;
  }

  /**
   * The time at which a version was made, in milliseconds since 1970; empty if versions have no
   * time.
   */
  default OptionalLong millis(T version) {
    return OptionalLong.empty();
  }

  /**
   * The largest version that {@link #millis} can give this time or an earlier one; the initial
   * version for a time before 1970. Empty if versions have no time: then the cache cannot be read
   * by times.
   *
   * @param millis since 1970
   */
  default Optional<T> lastAt(long millis) {
    return Optional.empty();
  }

  /**
   * The time by this process's clock, in milliseconds since 1970; empty if versions have no time.
   * Unlike {@link #proposal}, it does not depend on the versions that the process has seen.
   */
  default OptionalLong now() {
    return millis(proposal());
  }

  /**
   * A version that is not below any version given by now, under any key. Conditions: clocks agree,
   * and this process has seen the highest snapshot. By default the proposal of this process, which
   * may be below versions of other processes.
   */
  default T present() {
    return proposal();
  }

  /**
   * Whether no process can have been given a version so high, as far as clocks agree: such a
   * version is a bound, and the whole cache cannot be read as of it.
   */
  default boolean isInFuture(T version) {
    return false;
  }

  /** Whether of any two versions one is below the other, or they are equal. */
  boolean isTotal();

  /** A total order that agrees with {@link #isBelow}; 0 for equal versions only. */
  int compare(T a, T b);

  /**
   * Encodes the version, with equal bytes for equal versions; the bytes of near versions begin
   * alike.
   */
  byte[] write(T version);

  /**
   * Decodes the bytes of {@link #write}.
   *
   * @throws IllegalArgumentException if the bytes have another form
   */
  T read(byte[] bytes);
}
