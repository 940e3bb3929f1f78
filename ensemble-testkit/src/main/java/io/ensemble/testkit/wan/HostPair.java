package io.ensemble.testkit.wan;

/**
 * Two hosts, in no order: {@code a} is the one whose name comes first.
 *
 * @param a the first name
 * @param b the second name
 */
public record HostPair(String a, String b) {

  /**
   * @throws IllegalArgumentException if they are the same
   */
  public HostPair {
    if (a.equals(b)) {
      throw new IllegalArgumentException("a pair must be of two hosts; got " + a + " twice");
    }
    if (a.compareTo(b) > 0) {
      String first = b;
      b = a;
      a = first;
    }
  }

  @Override
  public String toString() {
    return a + "-" + b;
  }
}
