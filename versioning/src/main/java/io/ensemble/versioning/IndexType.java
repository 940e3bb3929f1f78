package io.ensemble.versioning;

/** How the versions of a key are found. All answer alike; they differ in what operations cost. */
public enum IndexType {
  /** All versions of a key stand in one entry: for few and small ones. */
  BASELINE,
  /** Values have entries of their own; where they are stands in the key's entry. */
  TREE,
  /** As {@link #TREE}, and older parts of the index have entries of their own, too. */
  SHARDED,
  /** What suits the key's number of versions: it grows from one to the next in place. */
  AUTO
}
