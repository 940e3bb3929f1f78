package io.ensemble.partition;

import java.util.SortedSet;
import java.util.TreeSet;

/**
 * A distributed cache needs a partitioner that is not installed in this process. The call had no
 * effect, and the cache cannot be used in this process until the operator installs the partitioner.
 */
public final class UnknownPartitionerException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  private final String name;
  private final transient SortedSet<String> installed;

  UnknownPartitionerException(String name, SortedSet<String> installed) {
    super(
        ("the partitioner is not installed: put it on the class path of every process; expected=%s "
                + "installed=%s")
            .formatted(name, installed));
    this.name = name;
    this.installed = new TreeSet<>(installed);
  }

  /** The name of the missing partitioner. */
  public String partitioner() {
    return name;
  }

  /** The names of the installed partitioners. */
  public SortedSet<String> installed() {
    return new TreeSet<>(installed);
  }
}
