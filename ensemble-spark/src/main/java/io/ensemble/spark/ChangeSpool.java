package io.ensemble.spark;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.execution.streaming.CheckpointFileManager;
import org.apache.spark.sql.execution.streaming.CheckpointFileManager.CancellableFSDataOutputStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The changes that a query has not committed yet, in files of its checkpoint. So a query that
 * restarts gets the same changes for a batch that it had begun. As durable as the checkpoint: a
 * segment is written by the means by which Spark writes its own log. For one thread.
 *
 * <p>Each segment begins with the change after the former one. A segment is kept until it is
 * committed; the last one is always kept, for its position.
 */
final class ChangeSpool {

  private static final Logger LOG = LoggerFactory.getLogger(ChangeSpool.class);
  private static final Pattern NAME = Pattern.compile("[0-9]{19}");

  private final CheckpointFileManager files;
  private final Path directory;
  private final String schema;
  // By number.
  private final NavigableMap<Long, SpoolSegment> segments = new TreeMap<>();

  /**
   * Opens the spool of a directory, which need not exist.
   *
   * @param schema of the changes
   * @throws IllegalArgumentException if its segments have another schema
   * @throws IllegalStateException if it is damaged
   */
  ChangeSpool(CheckpointFileManager files, Path directory, String schema) {
    this.files = files;
    this.directory = directory;
    this.schema = schema;
    try {
      files.mkdirs(directory);
      for (FileStatus file :
          files.list(directory, path -> NAME.matcher(path.getName()).matches())) {
        SpoolSegment segment = segment(file.getPath());
        if (!segment.schema().equals(schema)) {
          throw new IllegalArgumentException(
              "the columns of changes must stay those of the checkpoint; expected %s got %s"
                  .formatted(segment.schema(), schema));
        }
        segments.put(Long.parseLong(file.getPath().getName()), segment);
      }
    } catch (IOException e) {
      throw new UncheckedIOException("cannot open the changes of a checkpoint: " + directory, e);
    }
    check();
  }

  private SpoolSegment segment(Path path) throws IOException {
    try (DataInputStream in = new DataInputStream(files.open(path))) {
      return SpoolSegment.read(in);
    }
  }

  private void check() {
    SpoolSegment former = null;
    for (Map.Entry<Long, SpoolSegment> entry : segments.entrySet()) {
      SpoolSegment segment = entry.getValue();
      if (former != null && former.next() != segment.first()) {
        throw new IllegalStateException(
            "changes of a checkpoint must have no holes; expected change %d got %d; file=%s"
                .formatted(former.next(), segment.first(), path(entry.getKey())));
      }
      former = segment;
    }
  }

  /** The number after the last change; 0 if there was none. */
  long next() {
    return segments.isEmpty() ? 0 : segments.lastEntry().getValue().next();
  }

  /** Where the stream continues; empty if nothing has been written. */
  Optional<String> position() {
    return segments.isEmpty()
        ? Optional.empty()
        : Optional.of(segments.lastEntry().getValue().position());
  }

  /**
   * Writes changes after the last ones; they are durable when this method returns.
   *
   * @param position of the stream after them
   */
  void append(String position, Collection<byte[]> rows) {
    long number = segments.isEmpty() ? 0 : segments.lastKey() + 1;
    SpoolSegment segment = new SpoolSegment(next(), next() + rows.size(), schema, position);
    Path path = path(number);
    try {
      // Without replacement: another driver with this checkpoint is an error.
      CancellableFSDataOutputStream out = files.createAtomic(path, false);
      try {
        segment.write(out, rows);
        out.close();
      } catch (IOException | RuntimeException e) {
        out.cancel();
        throw e;
      }
    } catch (IOException e) {
      throw new UncheckedIOException("cannot write changes of a checkpoint: " + path, e);
    }
    segments.put(number, segment);
    deleteBeforeLast(former -> former.rows() == 0);
  }

  /** Deletes what is before a change, except the last segment. */
  void release(long committed) {
    deleteBeforeLast(former -> former.next() <= committed);
  }

  private void deleteBeforeLast(Predicate<SpoolSegment> isDone) {
    if (segments.isEmpty()) {
      return;
    }
    for (long number : List.copyOf(segments.headMap(segments.lastKey()).keySet())) {
      if (isDone.test(segments.get(number))) {
        try {
          delete(number);
          segments.remove(number);
        } catch (IOException e) {
          // The next call tries again. No later file goes, so that there is no hole.
          LOG.warn("Cannot delete committed changes; file={}", path(number), e);
          return;
        }
      }
    }
  }

  /** Scala does not declare the exception. */
  private void delete(long number) throws IOException {
    files.delete(path(number));
  }

  /**
   * The files with the changes of a range.
   *
   * @throws IllegalStateException if they do not have exactly these
   */
  List<Path> files(long from, long to) {
    List<Path> found = new ArrayList<>();
    long end = from;
    for (Map.Entry<Long, SpoolSegment> entry : segments.entrySet()) {
      SpoolSegment segment = entry.getValue();
      if (segment.first() == end && segment.next() <= to && segment.rows() > 0) {
        found.add(path(entry.getKey()));
        end = segment.next();
      }
    }
    if (end != to) {
      throw new IllegalStateException(
          "the checkpoint has not the changes [%d, %d): begin with a new checkpoint, and read the "
                  .formatted(from, to)
              + "cache; directory="
              + directory);
    }
    return found;
  }

  private Path path(long number) {
    return new Path(directory, "%019d".formatted(number));
  }

  /** How many files there are; for tests. */
  int size() {
    return segments.size();
  }
}
