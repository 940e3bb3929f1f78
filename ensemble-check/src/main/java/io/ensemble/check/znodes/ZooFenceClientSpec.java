package io.ensemble.check.znodes;

/**
 * What a client process of ZooFence is told to do, as one line of JSON on its standard input.
 *
 * @param proxies where clients connect, with commas
 * @param sessionMillis the timeout that sessions ask for
 * @param layout of the znodes
 * @param clients how many clients it is
 * @param first above this are the numbers of its clients and the values that it writes
 * @param seed of its choices
 * @param nanosBetween how long from one call to the next, of all its clients together
 * @param operations how many calls it makes at most
 * @param history the file for its part of the history
 * @param last whether it only looks at what has become of each znode
 */
public record ZooFenceClientSpec(
    String proxies,
    int sessionMillis,
    ZnodeLayout layout,
    int clients,
    long first,
    long seed,
    long nanosBetween,
    long operations,
    String history,
    boolean last) {}
