package io.ensemble.process;

import java.util.List;
import org.infinispan.commands.VisitableCommand;
import org.infinispan.commands.tx.RollbackCommand;
import org.infinispan.commands.tx.TransactionBoundaryCommand;
import org.infinispan.commands.write.WriteCommand;
import org.infinispan.commons.CacheException;
import org.infinispan.context.InvocationContext;
import org.infinispan.context.impl.FlagBitSets;
import org.infinispan.interceptors.BaseAsyncInterceptor;
import org.infinispan.interceptors.InvocationExceptionFunction;
import org.infinispan.remoting.RemoteException;

/**
 * Stands before everything that a cache on disk does with a command. A client's write does not
 * begin while the disk is low: nothing of it is done. What a peer sends may use the reserve, for
 * the other nodes have it already; shortly before the reserve is used up the node ends, as by a
 * crash.
 *
 * <p>A write that the store could not append ends the node before anyone is answered. The store of
 * Infinispan 16.0.7 goes on behind the half record and counts its offsets as if that were not
 * there: what it acknowledged from then on could not be read after a restart.
 */
final class StoreWriteGuard extends BaseAsyncInterceptor {

  private static final String STORE = "org.infinispan.persistence.sifs.";
  private static final String APPENDER = STORE + "LogAppender";
  private static final List<String> JDK = List.of("java.", "jdk.", "sun.");
  private static final int MOST_CAUSES = 16;

  private final DiskReserve disk;
  private final FailStop failStop;
  private final InvocationExceptionFunction<VisitableCommand> afterFailure;

  StoreWriteGuard(DiskReserve disk, FailStop failStop) {
    this.disk = disk;
    this.failStop = failStop;
    this.afterFailure =
        (context, command, failure) -> {
          if (isOfAppending(failure)) {
            failStop.halt("the store could not append a record", failure);
          }
          throw failure;
        };
  }

  @Override
  public Object visitCommand(InvocationContext context, VisitableCommand command) {
    boolean isWrite = command instanceof WriteCommand;
    if (!isWrite && !(command instanceof TransactionBoundaryCommand)) {
      return invokeNext(context, command);
    }
    if (disk.isLow()) {
      if (isWrite && isOfClient(context, (WriteCommand) command)) {
        throw new CacheException("nothing is written: the disk is low; " + disk);
      }
      if (writesForPeer(context, command) && disk.isNearlyUsedUp()) {
        failStop.halt("the reserve of the disk is nearly used up, and peers write on", null);
      }
    }
    return invokeNextAndExceptionally(context, command, afterFailure);
  }

  /** A client's transaction that has come as far as its end is none of a peer's. */
  private static boolean writesForPeer(InvocationContext context, VisitableCommand command) {
    return command instanceof WriteCommand
        || !context.isOriginLocal() && !(command instanceof RollbackCommand);
  }

  private static boolean isOfClient(InvocationContext context, WriteCommand command) {
    return context.isOriginLocal() && !command.hasAnyFlag(FlagBitSets.PUT_FOR_STATE_TRANSFER);
  }

  /**
   * Whether a store of this node threw it while it appended a record. One that could not read, or a
   * peer's, is another matter.
   */
  static boolean isOfAppending(Throwable failure) {
    Throwable at = failure;
    for (int depth = 0; at != null && depth < MOST_CAUSES; depth++) {
      if (at instanceof RemoteException) {
        return false;
      }
      if (isThrownByAppender(at.getStackTrace())) {
        return true;
      }
      at = at.getCause();
    }
    return false;
  }

  /** What runs on the appender's thread without being the store's shows other frames before. */
  private static boolean isThrownByAppender(StackTraceElement[] frames) {
    for (StackTraceElement frame : frames) {
      String name = frame.getClassName();
      if (name.equals(APPENDER)) {
        return true;
      }
      if (JDK.stream().noneMatch(name::startsWith) && !name.startsWith(STORE)) {
        return false;
      }
    }
    return false;
  }
}
