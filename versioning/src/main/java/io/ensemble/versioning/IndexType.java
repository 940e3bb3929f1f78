package io.ensemble.versioning;

/**
 * How the versions of a key are stored. All types give the same results; they differ in the costs
 * of operations.
 */
public enum IndexType {
  /**
   * All versions of a key are in one entry: for few and small versions, up to 960 KiB. Further ones
   * are refused: {@link VersioningException.KeyFull}.
   */
  BASELINE,
  /**
   * Values have entries of their own; the entry of the key contains their locations. Of more than
   * 10,000 versions, the older locations have entries of their own, too.
   */
  TREE,
  /**
   * As {@link #TREE}, with shards of the index of a size that the cache chooses: 1,000 versions by
   * default.
   */
  SHARDED,
  /**
   * Chosen by the number of versions of the key: the index grows from one type to the next in
   * place.
   */
  AUTO
}
