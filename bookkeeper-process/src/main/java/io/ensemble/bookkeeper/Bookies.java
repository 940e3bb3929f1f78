package io.ensemble.bookkeeper;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.bookkeeper.bookie.SortedLedgerStorage;
import org.apache.bookkeeper.client.BookKeeperAdmin;
import org.apache.bookkeeper.conf.ServerConfiguration;
import org.apache.bookkeeper.server.EmbeddedServer;
import org.apache.bookkeeper.server.conf.BookieConfiguration;

/** Bookies in this process, on loopback. They do not force their writes to a disk. */
final class Bookies implements AutoCloseable {

  private static final int JOURNAL_MEGABYTES = 64;
  private static final int LOG_BYTES = 64 << 20;

  /**
   * Bounds the open index files: each ledger has an index file, and many machines allow a process
   * 1024 files.
   */
  private static final int OPEN_FILES = 64;

  /** Bytes that a bookie may buffer before it writes them out; a bookie may hold twice as many. */
  private static final int MEMORY_BYTES = 16 << 20;

  private final List<EmbeddedServer> running = new ArrayList<>();

  /**
   * Creates a new cluster and starts its bookies.
   *
   * @param metadata the URI of the metadata, in BookKeeper's notation
   * @param ports unused ports, one for each bookie
   */
  static Bookies start(String metadata, List<Integer> ports, Path directory) throws Exception {
    Bookies bookies = new Bookies();
    if (!BookKeeperAdmin.initNewCluster(settings(metadata, 0, directory))) {
      throw new IllegalStateException("a cluster exists already; metadata=" + metadata);
    }
    for (int port : ports) {
      ServerConfiguration settings =
          settings(metadata, port, Files.createDirectories(directory.resolve("bookie" + port)));
      EmbeddedServer bookie = EmbeddedServer.builder(new BookieConfiguration(settings)).build();
      bookie.getLifecycleComponentStack().start();
      bookies.running.add(bookie);
    }
    return bookies;
  }

  private static ServerConfiguration settings(String metadata, int port, Path directory) {
    ServerConfiguration settings = new ServerConfiguration();
    settings.setMetadataServiceUri(metadata);
    settings.setZkTimeout(BookKeeperMain.PATIENCE_SECONDS * 1000);
    settings.setBookiePort(port);
    settings.setAllowLoopback(true);
    settings.setAdvertisedAddress("127.0.0.1");
    settings.setJournalDirName(directory.toString());
    settings.setLedgerDirNames(new String[] {directory.toString()});
    settings.setAllowMultipleDirsUnderSameDiskPartition(true);
    settings.setLedgerStorageClass(SortedLedgerStorage.class.getName());
    settings.setJournalSyncData(false);
    settings.setJournalRemovePagesFromCache(false);
    settings.setMaxJournalSizeMB(JOURNAL_MEGABYTES);
    settings.setMaxBackupJournals(0);
    settings.setEntryLogSizeLimit(LOG_BYTES);
    settings.setSkipListSizeLimit(MEMORY_BYTES);
    settings.setOpenFileLimit(OPEN_FILES);
    settings.setEntryLogFilePreAllocationEnabled(false);
    settings.setServerNumIOThreads(1);
    settings.setNumAddWorkerThreads(1);
    settings.setNumReadWorkerThreads(1);
    settings.setDiskUsageThreshold(0.99f);
    settings.setDiskUsageWarnThreshold(0.98f);
    settings.setAutoRecoveryDaemonEnabled(false);
    settings.setStatisticsEnabled(false);
    settings.setHttpServerEnabled(false);
    return settings;
  }

  @Override
  public void close() {
    running.forEach(bookie -> bookie.getLifecycleComponentStack().close());
  }
}
