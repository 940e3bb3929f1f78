package io.ensemble.partition;

import java.util.SortedSet;
import java.util.TreeSet;

/**
 * A distributed cache wants a partitioner that is not installed in this process. Nothing was done,
 * and nothing can be done with the cache here until the operator installs it.
 */
public final class UnknownPartitionerException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  private final String name;
  private final transient SortedSet<String> installed;

  UnknownPartitionerException(String name, SortedSet<String> installed) {
    super(
        "no such partitioner is installed: put it on the class path of every process; wanted=%s installed=%s"
            .formatted(name, installed));
    this.name = name;
    this.installed = new TreeSet<>(installed);
  }

  /** What was wanted. */
  public String partitioner() {
    return name;
  }

  /** What there is. */
  public SortedSet<String> installed() {
    return new TreeSet<>(installed);
  }
}
