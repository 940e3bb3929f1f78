package io.ensemble.process;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.infinispan.server.Server;
import org.infinispan.server.core.ProtocolServer;
import org.infinispan.server.core.transport.Transport;

/**
 * Closes the node's endpoints while its disk is low, and opens them again afterwards. A client then
 * gets no answer from this node: the node is a missing vote, and never a wrong one. The file
 * {@value #MARK} in the node's directory reports the same state to processes on this machine.
 */
final class DiskWatch {

  static final String MARK = "disk-low";
  private static final int LOOK_MILLIS = 100;

  private final DiskReserve disk;
  private final Supplier<Iterable<ProtocolServer<?>>> servers;
  private final Path mark;
  private final List<ProtocolServer<?>> closed = new ArrayList<>();
  private final ScheduledExecutorService executor;
  private boolean silent;

  /**
   * @param servers the endpoints that answer clients; more may be added while the node starts
   */
  DiskWatch(DiskReserve disk, Supplier<Iterable<ProtocolServer<?>>> servers, File root) {
    this.disk = disk;
    this.servers = servers;
    this.mark = root.toPath().resolve(MARK);
    this.executor =
        Executors.newSingleThreadScheduledExecutor(
            task -> {
              Thread thread = new Thread(task, "ensemble-disk-watch");
              thread.setDaemon(true);
              return thread;
            });
  }

  void start() {
    setMark("");
    ScheduledFuture<?> unused =
        executor.scheduleWithFixedDelay(this::check, 0, LOOK_MILLIS, TimeUnit.MILLISECONDS);
  }

  void stop() {
    executor.shutdownNow();
  }

  private void check() {
    try {
      if (disk.isLow()) {
        close(); // Close each time: a connection may have been in the middle of opening.
        if (!silent) {
          silent = true;
          alarm("disk space is low: the node rejects client requests until space is available");
          setMark(disk.toString());
        }
      } else if (silent) {
        silent = false;
        open();
        setMark("");
        alarm("disk space is available again: the node answers clients");
      }
    } catch (RuntimeException | Error failed) {
      // The next check may succeed.
      Server.log.error("free disk space cannot be read; " + disk, failed);
    }
  }

  private void close() {
    for (ProtocolServer<?> server : servers.get()) {
      if (server.getConfiguration().isEnabled()) {
        server.getConfiguration().disable();
        closed.add(server);
      }
      Transport transport = server.getTransport();
      if (transport != null) {
        CompletionStage<Void> unused = transport.closeChannels(server.getChannelMatcher());
      }
    }
  }

  /** Opens only the endpoints that this class closed: an administrator may have closed others. */
  private void open() {
    closed.forEach(server -> server.getConfiguration().enable());
    closed.clear();
  }

  private void alarm(String what) {
    String message = what + "; " + disk;
    System.err.println(message);
    if (silent) {
      Server.log.error(message);
    } else {
      Server.log.warn(message);
    }
  }

  /** Writes the file; an empty text removes the file. */
  private void setMark(String text) {
    try {
      if (text.isEmpty()) {
        Files.deleteIfExists(mark);
      } else {
        Files.writeString(mark, text);
      }
    } catch (IOException e) {
      Server.log.warn("the marker file of a full disk cannot be written: " + e);
    }
  }
}
