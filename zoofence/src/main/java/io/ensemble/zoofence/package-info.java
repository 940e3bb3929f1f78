/**
 * ZooFence: one ZooKeeper made of several independent ones (Halalai, Sutra, Rivi&egrave;re, Felber,
 * "ZooFence: Principled Service Partitioning and Application to the ZooKeeper Coordination
 * Service"). An <em>instance</em> is one of these ensembles. The {@code flattening} gives the
 * instances that hold a path. The {@code session} package sends each request of a client to them,
 * and the {@code executor} runs the commands that concern several instances.
 */
@NullMarked
package io.ensemble.zoofence;

import org.jspecify.annotations.NullMarked;
