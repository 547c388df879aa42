# What is trained, and on what.
launcher = 'pytorch'
norm_cfg = dict(type='SyncBN', requires_grad=True)
env_cfg = dict(
    cudnn_benchmark=True,
    mp_cfg=dict(mp_start_method='fork', opencv_num_threads=0),
    dist_cfg=dict(backend='nccl'),
    resource_limit=4096
)
