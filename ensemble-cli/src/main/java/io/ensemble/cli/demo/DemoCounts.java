package io.ensemble.cli.demo;

/**
 * How many operations succeeded.
 *
 * @param reads values read and found right
 * @param writes values written or removed without a condition
 * @param conditional conditional operations that ended as they had to, met or not
 */
record DemoCounts(int reads, int writes, int conditional) {

  @Override
  public String toString() {
    return "%,d reads, %,d writes, %,d conditional".formatted(reads, writes, conditional);
  }
}
