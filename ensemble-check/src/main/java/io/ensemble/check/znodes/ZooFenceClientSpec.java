package io.ensemble.check.znodes;

/**
 * The order to a client process of ZooFence, as one line of JSON on its standard input.
 *
 * @param proxies the addresses of the proxies, separated by commas
 * @param sessionMillis the timeout that sessions request
 * @param layout the znodes
 * @param clients the number of clients in the process
 * @param first its client numbers and the values that it writes are above this one
 * @param seed the seed of its choices
 * @param nanosBetween the time from one call to the next, of all its clients together
 * @param operations the maximum number of calls
 * @param history the file for its part of the history
 * @param last whether it only reads the final state of each znode
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
