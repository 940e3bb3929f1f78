package io.ensemble.cli.demo;

/**
 * The numbers of successful operations.
 *
 * @param reads correct values read
 * @param writes values written or removed without a condition
 * @param conditional conditional operations with the expected result, whether the condition held or
 *     not
 */
record DemoCounts(int reads, int writes, int conditional) {

  @Override
  public String toString() {
    return "%,d reads, %,d writes, %,d conditional".formatted(reads, writes, conditional);
  }
}
