/** Trials of ZooFence: a deployment whose ensembles, proxies and clients fail. */
@NullMarked
package io.ensemble.check.zoofence;

import org.jspecify.annotations.NullMarked;
