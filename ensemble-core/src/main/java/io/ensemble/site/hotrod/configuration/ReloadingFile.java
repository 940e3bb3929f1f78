package io.ensemble.site.hotrod.configuration;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The parsed content of a file, reloaded after a change of the file; the file is checked at most
 * once a second, or at each use. If the file cannot be read or parsed, the former content remains,
 * and a warning is logged. Thread-safe; during a reload, other threads get the former content.
 */
public final class ReloadingFile<T> implements Supplier<T> {

  /** The maximum size of a file, unless it has revocation lists of sites. */
  public static final int LARGEST_BYTES = 4 << 20;

  /** The maximum size of a file with revocation lists of sites. */
  static final int LARGEST_LISTS_BYTES = 64 << 20;

  private static final Logger LOG = LoggerFactory.getLogger(ReloadingFile.class);
  private static final long BETWEEN_NANOS = 1_000_000_000L;

  private final Path file;
  private final Function<byte[], T> parser;
  private final LongSupplier nanoTime;
  private final long betweenNanos;
  private final int largestBytes;
  private volatile T value;
  private volatile long lastCheckNanos;
  private @Nullable Seen lastState;

  private record Seen(FileTime modified, long size, @Nullable Object key) {}

  private ReloadingFile(
      Path file,
      Function<byte[], T> parser,
      LongSupplier nanoTime,
      long betweenNanos,
      int largestBytes) {
    this.file = file;
    this.parser = parser;
    this.nanoTime = nanoTime;
    this.betweenNanos = betweenNanos;
    this.largestBytes = largestBytes;
    this.lastCheckNanos = nanoTime.getAsLong();
    this.lastState = readState();
    this.value = parser.apply(readBytes(file, largestBytes));
  }

  /**
   * Reads {@code file} now, and again after changes.
   *
   * @throws RuntimeException the exception of {@code parser}, if the initial content is invalid
   * @throws UncheckedIOException if the file cannot be read
   */
  public static <T> ReloadingFile<T> of(
      Path file, Function<byte[], T> parser, LongSupplier nanoTime) {
    return new ReloadingFile<>(file, parser, nanoTime, BETWEEN_NANOS, LARGEST_BYTES);
  }

  /** The same for revocation lists of sites, which are seldom used: each use checks the file. */
  static <T> ReloadingFile<T> ofLists(Path file, Function<byte[], T> parser) {
    return new ReloadingFile<>(file, parser, System::nanoTime, 0, LARGEST_LISTS_BYTES);
  }

  @Override
  public T get() {
    long now = nanoTime.getAsLong();
    if (now - lastCheckNanos >= betweenNanos) {
      lastCheckNanos = now;
      reload();
    }
    return value;
  }

  private synchronized void reload() {
    Seen current;
    try {
      current = readState();
    } catch (UncheckedIOException e) {
      if (lastState != null) {
        LOG.warn("a file was removed; its last content stays in force; file={}", file);
      }
      lastState = null;
      return;
    }
    if (current.equals(lastState)) {
      return;
    }
    lastState = current;
    try {
      value = parser.apply(readBytes(file, largestBytes));
      LOG.info("a changed file is in force; file={}", file);
    } catch (RuntimeException e) {
      LOG.warn(
          "a changed file is invalid; its last valid content stays in force; file={}: {}",
          file,
          e.getMessage());
    }
  }

  private Seen readState() {
    try {
      BasicFileAttributes attributes = Files.readAttributes(file, BasicFileAttributes.class);
      return new Seen(attributes.lastModifiedTime(), attributes.size(), attributes.fileKey());
    } catch (IOException e) {
      throw new UncheckedIOException("cannot check the file " + file, e);
    }
  }

  /**
   * The whole content of a file.
   *
   * @throws UncheckedIOException if the file cannot be read, or is too large
   */
  public static byte[] readBytes(Path file) {
    return readBytes(file, LARGEST_BYTES);
  }

  /** The same, of a file with revocation lists of sites. */
  static byte[] readLists(Path file) {
    return readBytes(file, LARGEST_LISTS_BYTES);
  }

  private static byte[] readBytes(Path file, int largestBytes) {
    try (var in = Files.newInputStream(file)) {
      byte[] bytes = in.readNBytes(largestBytes + 1);
      if (bytes.length > largestBytes) {
        throw new IOException("larger than %d bytes".formatted(largestBytes));
      }
      return bytes;
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read " + file + ": " + e, e);
    }
  }
}
