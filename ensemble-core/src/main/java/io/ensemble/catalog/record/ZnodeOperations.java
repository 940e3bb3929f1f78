package io.ensemble.catalog.record;

import io.ensemble.catalog.record.CatalogException.Reason;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * The requests to ZooKeeper that a catalog consists of. Failures are {@link CatalogException}:
 * {@link Reason#UNAVAILABLE}, {@link Reason#NOT_ALLOWED} or, for a change that may have been made,
 * {@link Reason#UNKNOWN}. Changes are sent once.
 */
interface ZnodeOperations {

  /** A node as it was read. */
  record Node(byte[] data, int version) {}

  /** The server's answer to a change. */
  enum Change {
    DONE,
    /** The node exists already, is gone, or has another version. */
    NOT_SO
  }

  /** The present node, whichever server is asked; empty if there is none. */
  CompletionStage<Optional<Node>> read(String path);

  /** The names of a node's children; empty if the node does not exist. */
  CompletionStage<List<String>> children(String path);

  /** Creates a node, at version 0, and its ancestors. */
  CompletionStage<Change> create(String path, byte[] data);

  /** Replaces the data of a node of that version; the node then has the next version. */
  CompletionStage<Change> write(String path, byte[] data, int version);
}
