# Two hosts of one job: this network namespace is node01 (10.0.0.1), `there` runs a command on node02 (10.0.0.2).
hostname node01
unshare --net --uts sleep 600 &
far=$!
sleep 0.5
there() { nsenter --target $far --net --uts -- "$@"; }
ip link add eth0 type veth peer name eth0 netns $far
ip addr add 10.0.0.1/24 dev eth0
ip link set eth0 up
there hostname node02
there ip link set lo up
there ip addr add 10.0.0.2/24 dev eth0
there ip link set eth0 up
printf '127.0.0.1 localhost\n10.0.0.1 node01\n10.0.0.2 node02\n' >hosts
mount --bind hosts /etc/hosts
# Each node writes its own log.
node() { python3 -u torchrun.py --nnodes=2 --nproc_per_node=${PER_NODE:-1} --node_rank=$1 --master_addr=${MASTER:-10.0.0.1} --master_port=29500 --rdzv_conf=timeout=15 \
  --monitor_interval=0.2 pretrain.py --fault "$2" >logs/node0$(($1 + 1)).log 2>&1; }
both() { export -f node; there bash -c "node 1 $1" & local second=$!; node 0 "$1"; wait $second; }
mkdir -p logs
