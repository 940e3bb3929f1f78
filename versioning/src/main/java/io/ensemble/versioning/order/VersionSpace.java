package io.ensemble.versioning.order;

import java.util.OptionalLong;

/**
 * The versions of a cache: a partial order with a join for every two, and a smallest one (D2.6,
 * appendix A, section III.A). All methods give the same in every process, whenever they are called,
 * except those that follow the process's clock or what it has met. Thread-safe.
 *
 * @param <T> a version; immutable, with {@code equals}
 */
public interface VersionSpace<T> {

  /** By which a cache knows it; caches of other spaces are not opened with this one. */
  String name();

  /** Below all others. It is given to no value. */
  T initial();

  /** Whether {@code a} is strictly below {@code b}. */
  boolean isBelow(T a, T b);

  /** The smallest version that is not below either. */
  T join(T a, T b);

  /**
   * A version strictly above {@code bound}, which whoever proposed {@code proposal} has not been
   * given before.
   *
   * @throws ArithmeticException if there is none
   */
  T above(T bound, T proposal);

  /** What this process would number a value with if it were the first. */
  T proposal();

  /**
   * This process has met a version: what it proposes from now on comes after it, unless that is
   * {@linkplain #isTooFarAhead too far ahead}.
   */
  default void saw(T version) {}

  /**
   * Whether a version is ahead of this process's clock by more than the space accepts. Such a
   * version cannot be chosen, nor a key be read as of it, and {@link #saw} does not adopt it. False
   * for versions that do not follow clocks.
   */
  default boolean isTooFarAhead(T version) {
    return false;
  }

  /** When a version was made, in milliseconds since 1970; empty if it does not say. */
  default OptionalLong millis(T version) {
    return OptionalLong.empty();
  }

  /**
   * The time by this process's clock, in milliseconds since 1970; empty if versions do not say
   * theirs. Unlike {@link #proposal} it does not follow what the process has met.
   */
  default OptionalLong now() {
    return millis(proposal());
  }

  /**
   * A version that is not below any that has been given by now, under any key, as far as clocks
   * agree; in a process that has met the highest cut. Unless said otherwise no more than what this
   * process proposes, which may be below what others have been given.
   */
  default T present() {
    return proposal();
  }

  /**
   * Whether nobody has been given a version so high, as far as clocks agree: such a one is a bound,
   * and the whole cache is not read as of it.
   */
  default boolean isToCome(T version) {
    return false;
  }

  /** Whether of any two versions one is below the other, or they are equal. */
  boolean isTotal();

  /** An order of all versions that agrees with {@link #isBelow}; 0 for equal ones only. */
  int compare(T a, T b);

  /** The version as bytes, the same for equal ones; those of near versions begin alike. */
  byte[] write(T version);

  /**
   * What {@link #write} wrote.
   *
   * @throws IllegalArgumentException if that it was not
   */
  T read(byte[] bytes);
}
