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
 * An interceptor that runs before all other handling of commands by a cache on disk. While the disk
 * is low, a client's write is refused before any part of it is done. A command from a peer may use
 * the reserve, because the other nodes already have its effect. Shortly before the reserve is used
 * up, the node ends as by a crash.
 *
 * <p>If the store fails to append a write, the node ends before any answer is sent. The store of
 * Infinispan 16.0.7 continues behind the incomplete record, and computes its offsets as if that
 * record were absent. After a restart, writes that it acknowledged from then on could not be read.
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
        throw new CacheException("writes are rejected: disk space is low; " + disk);
      }
      if (writesForPeer(context, command) && disk.isAlmostFull()) {
        failStop.halt("the disk reserve is nearly used up by writes of peers", null);
      }
    }
    return invokeNextAndExceptionally(context, command, afterFailure);
  }

  /** A client's transaction that has reached its commit phase is not the write of a peer. */
  private static boolean writesForPeer(InvocationContext context, VisitableCommand command) {
    return command instanceof WriteCommand
        || !context.isOriginLocal() && !(command instanceof RollbackCommand);
  }

  private static boolean isOfClient(InvocationContext context, WriteCommand command) {
    return context.isOriginLocal() && !command.hasAnyFlag(FlagBitSets.PUT_FOR_STATE_TRANSFER);
  }

  /**
   * Whether a store of this node threw the failure while it appended a record. A failed read, or a
   * failure at a peer, is a different case.
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

  /**
   * Code that runs on the appender's thread and is not the store's shows other stack frames first.
   */
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
