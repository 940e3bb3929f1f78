package io.ensemble.zoofence.flattening;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.Collectors;

/**
 * A set of instances, by their numbers from 0 on.
 *
 * @param bits the instance with number n is a member if bit n is set
 */
public record InstanceSet(long bits) {
  /** The maximum number of instances of one deployment. */
  public static final int MOST = 64;

  /** The first {@code count} instances. */
  public static InstanceSet first(int count) {
    if (count < 1 || count > MOST) {
      throw new IllegalArgumentException(
          "number of instances must be in [1, " + MOST + "]; got " + count);
    }
    return new InstanceSet(-1L >>> (MOST - count));
  }

  /** The instances with these numbers. */
  public static InstanceSet of(int... numbers) {
    long bits = 0;
    for (int number : numbers) {
      if (number < 0 || number >= MOST) {
        throw new IllegalArgumentException("no instance has the number " + number);
      }
      bits |= 1L << number;
    }
    return new InstanceSet(bits);
  }

  public boolean isEmpty() {
    return bits == 0;
  }

  public int size() {
    return Long.bitCount(bits);
  }

  /** Whether the set has one instance, so that its writes need no queue. */
  public boolean isSingle() {
    return size() == 1;
  }

  /** The instance that decides the responses of the set: the one with the lowest number. */
  public int canonical() {
    if (isEmpty()) {
      throw new IllegalStateException("an empty set has no canonical instance");
    }
    return Long.numberOfTrailingZeros(bits);
  }

  public boolean contains(int number) {
    return (bits >>> number & 1) == 1;
  }

  public boolean containsAll(InstanceSet others) {
    return (others.bits & ~bits) == 0;
  }

  public InstanceSet union(InstanceSet others) {
    return new InstanceSet(bits | others.bits);
  }

  public InstanceSet without(InstanceSet others) {
    return new InstanceSet(bits & ~others.bits);
  }

  /** The numbers, ascending. */
  public List<Integer> numbers() {
    List<Integer> numbers = new ArrayList<>(size());
    for (long left = bits; left != 0; left &= left - 1) {
      numbers.add(Long.numberOfTrailingZeros(left));
    }
    return Collections.unmodifiableList(numbers);
  }

  /** The numbers for display, from 1 on: {@code 1,3}. */
  @Override
  public String toString() {
    return numbers().stream()
        .map(number -> Integer.toString(number + 1))
        .collect(Collectors.joining(","));
  }
}
