package io.ensemble.versioning;

/**
 * How the versions of a key are stored. All types give the same results; they differ in the costs
 * of operations.
 */
public enum IndexType {
  /** All versions of a key are in one entry: for few and small versions. */
  BASELINE,
  /** Values have entries of their own; the entry of the key contains their locations. */
  TREE,
  /** As {@link #TREE}, and older parts of the index have entries of their own, too. */
  SHARDED,
  /**
   * Chosen by the number of versions of the key: the index grows from one type to the next in
   * place.
   */
  AUTO
}
