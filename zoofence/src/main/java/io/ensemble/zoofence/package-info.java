/**
 * ZooFence: one ZooKeeper made of several independent ones (Halalai, Sutra, Rivi&egrave;re, Felber,
 * "ZooFence: Principled Service Partitioning and Application to the ZooKeeper Coordination
 * Service"). The {@code flattening} says which ensembles hold a path, the {@code session} package
 * brings each request of a client to them, and the {@code executor} runs the commands that concern
 * several.
 */
@NullMarked
package io.ensemble.zoofence;

import org.jspecify.annotations.NullMarked;
