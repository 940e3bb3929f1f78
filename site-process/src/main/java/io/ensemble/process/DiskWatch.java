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
 * Closes the node's endpoints while its disk is low, and opens them again: whoever asks it meets
 * nobody, so it is a vote that is missing and never a wrong one. The file {@value #MARK} in the
 * node's directory tells the same to those on this machine.
 */
final class DiskWatch {

  static final String MARK = "disk-low";
  private static final int LOOK_MILLIS = 100;

  private final DiskReserve disk;
  private final Supplier<Iterable<ProtocolServer<?>>> servers;
  private final Path mark;
  private final List<ProtocolServer<?>> closed = new ArrayList<>();
  private final ScheduledExecutorService looks;
  private boolean silent;

  /**
   * @param servers what answers clients; more may come while the node starts
   */
  DiskWatch(DiskReserve disk, Supplier<Iterable<ProtocolServer<?>>> servers, File root) {
    this.disk = disk;
    this.servers = servers;
    this.mark = root.toPath().resolve(MARK);
    this.looks =
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
        looks.scheduleWithFixedDelay(this::look, 0, LOOK_MILLIS, TimeUnit.MILLISECONDS);
  }

  void stop() {
    looks.shutdownNow();
  }

  private void look() {
    try {
      if (disk.isLow()) {
        close(); // Each time: a connection may have been on its way.
        if (!silent) {
          silent = true;
          alarm("the disk is low: the node does not answer clients until there is room");
          setMark(disk.toString());
        }
      } else if (silent) {
        silent = false;
        open();
        setMark("");
        alarm("there is room on the disk again: the node answers clients");
      }
    } catch (RuntimeException | Error failed) {
      Server.log.error("the disk cannot be watched; " + disk, failed); // The next look may do.
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

  /** Only what was closed here: an administrator may have closed others. */
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

  /** Empty for none. */
  private void setMark(String text) {
    try {
      if (text.isEmpty()) {
        Files.deleteIfExists(mark);
      } else {
        Files.writeString(mark, text);
      }
    } catch (IOException e) {
      Server.log.warn("the mark of a low disk cannot be set: " + e);
    }
  }
}
