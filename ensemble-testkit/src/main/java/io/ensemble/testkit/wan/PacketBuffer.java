package io.ensemble.testkit.wan;

/**
 * A packet between two devices, in reused memory. Owned by one thread at a time: its reader, then
 * the delayer's queue, then the thread that forwards it.
 */
final class PacketBuffer implements Comparable<PacketBuffer> {

  /** The MTU of the devices. */
  static final int MTU = 1500;

  private static final int VERSION_4 = 4;
  private static final int SHORTEST_HEADER = 20;
  private static final int DESTINATION = 16;

  final byte[] bytes = new byte[MTU];
  int length;
  int from;
  int to;
  long arrivesNanos;
  long number;

  /** The number of the host with the packet's destination address; -1 if there is none. */
  int destination(int hosts) {
    if (length < SHORTEST_HEADER || bytes[0] >> 4 != VERSION_4) {
      return -1;
    }
    for (int i = 0; i < 3; i++) {
      if (bytes[DESTINATION + i] != HostAddresses.NETWORK[i]) {
        return -1;
      }
    }
    int host = Byte.toUnsignedInt(bytes[DESTINATION + 3]) - 1;
    return host < hosts ? host : -1;
  }

  @Override
  public int compareTo(PacketBuffer other) {
    long sooner = arrivesNanos - other.arrivesNanos;
    return sooner == 0 ? Long.signum(number - other.number) : Long.signum(sooner);
  }
}
