export LUCID_REQUIRE=cuda LUCID_CACHE_DIR=/tmp/lc
timeout 40 ./cuda.test -test.v -test.run 'Training' 2>&1 | cut -c1-300 | head -10
for k in $(seq 0 15); do (LUCID_TEST_SHARD=$k/16 LUCID_TEST_DEVICE=cuda GOMAXPROCS=2 timeout 95 ./lucid.test -test.parallel 2 -test.run 'TestGolden' -test.v > /tmp/g$k.log 2>&1; echo "rc $?" >> /tmp/g$k.log) & done; wait
cat /tmp/g*.log > $OUT/golden.log; grep -h "^rc" /tmp/g*.log | sort | uniq -c; ls /tmp/lc/cuda | wc -l
timeout 45 ./cuda.test -test.run XXX -test.bench . -test.benchtime 20x 2>&1 | cut -c1-200
